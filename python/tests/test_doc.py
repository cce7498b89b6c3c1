"""The examples of docstrings, what the stubs say, and whether a private name has become public."""
import ast
import doctest
import importlib
import os

import numpy as np
import pytest
from conftest import MODELS, ROOT, need

import saltus

MODULES = ["saltus", "saltus._builder", "saltus._named", "saltus._program", "saltus.answers", "saltus.model",
           "saltus.run", "saltus.torch"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name, monkeypatch):
    if name == "saltus.torch":
        need("torch")
    monkeypatch.chdir(ROOT)
    module = importlib.import_module(name)
    found = doctest.testmod(module, extraglobs={"saltus": saltus, "np": np}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
    if name in ("saltus", "saltus.model", "saltus.run"):
        assert found.attempted > 0


def stub_of(name):
    path = os.path.join(os.path.dirname(saltus.__file__), name)
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read())


def test_the_stub_has_every_word_and_every_method():
    tree = stub_of("model.pyi")
    model = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model")
    stubbed = {n.name for n in model.body if isinstance(n, ast.FunctionDef)}
    stubbed |= {n.target.id for n in model.body if isinstance(n, ast.AnnAssign)}
    words = set(saltus.words()) - {"optimise", "periodic", "model"} | {"goal", "repeats", "title"}
    assert words <= stubbed, words - stubbed
    public = {n for n in vars(saltus.Model) if not n.startswith("_")}
    public |= {n for n in vars(saltus.model.Answers) if not n.startswith("_")}
    assert public <= stubbed, public - stubbed
    run = next(n for n in stub_of("run.pyi").body if isinstance(n, ast.ClassDef) and n.name == "Run")
    stubbed = {n.name for n in run.body if isinstance(n, ast.FunctionDef)}
    assert {n for n in vars(saltus.Run) if not n.startswith("_")} <= stubbed


def test_the_stub_of_the_package_has_all_its_names():
    tree = stub_of("__init__.pyi")
    stubbed = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    stubbed |= {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert set(saltus.__all__) | {"min", "max", "abs", "pow"} <= stubbed


def fields_of(tree, name):
    """The annotated names of a class of a stub, with those it inherits."""
    found = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    inherited = [b.id for b in found.bases if isinstance(b, ast.Name)]
    return {n.target.id for n in found.body if isinstance(n, ast.AnnAssign)}.union(*(fields_of(tree, b) for b in inherited))


def test_the_stubs_of_answers_have_their_fields():
    tree = stub_of("answers.pyi")
    walker = saltus.load(MODELS / "simplest_walker.lua")
    found = [saltus.load(MODELS / "five_bar.lua").optimise("int_dev2_point2", over="L01", max_iterations=1),
             saltus.load(MODELS / "fit_bounce.lua").fit(), walker.periodic(),
             saltus.loads('local x = coordinate("x") mass(x, 1) force(x, -x) horizon(0, 1)').equilibrium()]
    for answer in found:
        fields = {n for n in vars(answer) if not n.startswith("_")}
        assert fields == fields_of(tree, type(answer).__name__), type(answer)
        assert all(f"``{f}``" in type(answer).__doc__ for f in fields), type(answer)
    assert "borders:\nkind " in repr(found[0]) and "{" not in repr(found[0])


def test_public_names_are_there():
    for name in saltus.__all__:
        assert getattr(saltus, name).__doc__ or name == "errors", name
    assert saltus.__version__.count(".") == 2


def test_enumerations_are_those_of_the_library():
    """Bindings come from the headers: sizes agree with what the compiled library fills in."""
    from saltus._library import ffi, lib
    assert lib.saltus_options_default().size == ffi.sizeof("saltus_options")
    assert lib.saltus_optimise_options_default().size == ffi.sizeof("saltus_optimise_options")
