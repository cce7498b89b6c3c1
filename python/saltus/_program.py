"""What the program ``saltus`` does for a run: reports and checks."""
import json
import os
import subprocess
import tempfile
from contextlib import contextmanager

from ._library import OPTIONS, ffi, lib, program, text
from .errors import ArgumentError, SaltusError, ScriptFileError


def _values(run):
    model = run._model
    listed = dict(model._settings)
    listed.update(zip(run._system.params, map(float, run._vector)))
    given = []
    for key, value in listed.items():
        written = repr(value) if isinstance(value, float) else str(value)
        given += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else written}"]
    for key, file in model._data.items():
        given += ["--data", f"{key}={file}"]
    return given


def _options(run):
    """The options that differ from those of the script."""
    own = ffi.new("saltus_options *", lib.saltus_system_options(run._system.raw))
    given, room = [], [ffi.new("char[64]"), ffi.new("char[64]")]
    for key in OPTIONS:
        asked, plain = (text(lib.saltus_options_get(o, key.encode(), r))
                        for o, r in zip((run._options, own), room))
        if asked != plain:
            given += ["--" + key.replace("_", "-"), asked]
    until = run._options.t_end
    if until == until:
        given += ["--until", repr(until)]
    return given


@contextmanager
def _script(model):
    """The file of the script; one that is written for the moment, if there is none."""
    if model._script is None and model._source[1] is None:
        yield model._source[0]
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.lua")
        model.save(path)
        beside = model._folder or ("" if model._script is not None else None)
        if beside is not None:  # what the script reads must be beside it
            for name in os.listdir(beside or "."):
                if name.endswith((".csv", ".lua")) and f'"{name[:-4]}' in model.script:
                    with open(os.path.join(beside, name), "rb") as source, \
                            open(os.path.join(folder, name), "wb") as target:
                        target.write(source.read())
        yield path


def _message(done):
    """What the program wrote as its error, without its name."""
    return done.stderr.strip().removeprefix("saltus: ").removeprefix("error: ")


def explain(word):
    """How a word of the language is written: what ``saltus help WORD`` says; "" if there is no program."""
    try:
        done = subprocess.run([program(), "help", word], capture_output=True, text=True, encoding="utf-8")
    except (OSError, SaltusError):
        return ""
    # some words have the name of a command, which is explained first
    return done.stdout.split("The word of the language:\n\n")[-1].strip() if done.returncode == 0 else ""


def _call(run, command, *arguments):
    with _script(run._model) as path:
        return subprocess.run([program(), command, path, *_values(run), *_options(run), *arguments],
                              capture_output=True, text=True, encoding="utf-8")


def report(run, path):
    path = os.fspath(path)
    if not path.endswith(".html"):
        raise ArgumentError(f"a report is an HTML file: {path!r} should end with .html")
    done = _call(run, "report", "-o", os.path.abspath(path), "--quiet")
    if done.returncode and not os.path.exists(path):
        raise ScriptFileError(_message(done), "ERR_FILE")
    return path


class Check:
    """What ``run.check()`` found: ``ok``, ``checks`` (a DataFrame), ``digits``. Prints as a table."""

    def __init__(self, found, ok):
        self.found, self.ok = found, ok

    @property
    def checks(self):
        import pandas as pd
        return pd.DataFrame(self.found["checks"])

    def __bool__(self):
        return self.ok

    def __repr__(self):
        lines = []
        for c in self.found["checks"]:
            note = f"  ({c['note']})" if c["note"] else ""
            size = "" if c["value"] is None else f"  {c['value']:.2g}, allowed {c['allowed'] or 0:.2g}"
            lines.append(f"{c['result']:4}  {c['check']}{' of ' + c['cost'] if c['cost'] else ''}{size}{note}")
        verdict = "passed" if self.ok else "made, and some failed"
        return "\n".join([*lines, f"{len(lines)} checks {verdict}"])


def check(run):
    done = _call(run, "check", "--json")
    if done.returncode not in (0, 4):
        raise SaltusError(_message(done) or f"saltus check ended with {done.returncode}")
    return Check(json.loads(done.stdout), done.returncode == 0)


def list_examples():
    """The names of the models that come with Saltus, with a line on each.

    >>> "five_bar" in saltus.examples()
    True
    """
    listed = subprocess.run([program(), "models"], capture_output=True, text=True, encoding="utf-8", check=True)
    rows = [line.split(None, 1) for line in listed.stdout.splitlines() if line.startswith("  ")]
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def example(name, **given):
    """Loads a model that comes with Saltus; ``saltus.examples()`` lists them, ``m.script`` shows it.

    >>> saltus.example("five_bar")
    <saltus.Model 'five-bar': 6 coordinates, 12 parameters, 7 costs>
    """
    from .model import loads
    done = subprocess.run([program(), "models", name, "-o", "-"], capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise ArgumentError(_message(done))
    return loads(done.stdout, f"{name}.lua", **given)
