"""Saltus: simulation of mechanisms whose motion jumps, and exact derivatives of what is measured on them.

    >>> import saltus
    >>> m = saltus.example("five_bar")            # or saltus.load("five_bar.lua"), or saltus.Model("...")
    >>> run = m(L01=2.2)
    >>> run.costs.shape, run.gradient.shape
    ((7,), (7, 12))

The guide has a chapter on it, docs/guide/16-python.md.
"""
from . import errors
from ._builder import after, before, ddot, dot, functions, words
from ._library import lib as _lib
from ._library import text as _text
from ._named import Named
from ._program import example
from ._program import list_examples as examples
from .errors import (ArgumentError, GradientError, ModelError, SaltusError, SaltusMemoryError, SaltusWarning,
                     ScriptFileError, UnfinishedError)
from .model import Mapped, Model, load, loads
from .run import Run

# The functions of the language. min, max, abs and pow are not in __all__: they would hide Python's own.
globals().update(functions)

def __getattr__(name):
    """saltus.torch and saltus.jax are imported when they are used."""
    if name in ("torch", "jax"):
        from importlib import import_module
        return import_module(f"saltus.{name}")
    raise AttributeError(f"module 'saltus' has no attribute {name!r}")


__version__ = _text(_lib.saltus_version())
__all__ = ["ArgumentError", "GradientError", "Mapped", "Model", "ModelError", "Named", "Run", "SaltusError",
           "SaltusMemoryError", "SaltusWarning", "ScriptFileError", "UnfinishedError", "after", "before", "ddot", "dot",
           "errors", "example", "examples", "load", "loads", "words",
           *(f for f in functions if f not in ("min", "max", "abs", "pow"))]
