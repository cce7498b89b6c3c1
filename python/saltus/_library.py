"""The shared library: where it is, how to call it, and how its errors become exceptions."""
import os
import re
import threading
from pathlib import Path

from . import _place
from ._bindings import OPTIONS, ffi
from .errors import KINDS, SaltusError

__all__ = ["OPTIONS", "Error", "ffi", "guarded", "in_python", "lib", "poll", "program", "text"]


def _find(kind, given):
    """The file of the library or of the program: from the environment, or where it was installed."""
    place = os.environ.get(f"SALTUS_{kind}") or given
    return str(Path(__file__).parent / place)


lib = ffi.dlopen(_find("LIBRARY", _place.LIBRARY))


def program():
    """The path of the program ``saltus``, which makes reports and checks."""
    path = _find("PROGRAM", _place.PROGRAM)
    if os.access(path, os.X_OK):
        return path
    raise SaltusError(f"there is no program at {path}: set SALTUS_PROGRAM to where 'saltus' is", "ERR_FILE")


def text(chars):
    """A text of the library; None where there is none."""
    return ffi.string(chars).decode() if chars else None


_KEYWORDS = {"until", "tol", "over", "minimise", *OPTIONS}


def in_python(message):
    """A message of the library, with the names that options have in Python: max_steps for --max-steps."""
    def named(found):
        key = found[1].replace("-", "_")
        return key if key in _KEYWORDS else found[0]
    return re.sub(r"--([a-z][a-z-]*[a-z])", named, message) if message else message


# Ctrl-C: the library calls this now and then. Python runs signal handlers as it enters the function; what they
# raise ends the call, and is raised again by Error.check.
_raised = threading.local()


def _keep(kind, value, trace):
    _raised.value = value.with_traceback(trace) if value is not None else kind()


@ffi.callback("int(void *, double, double)", error=1, onerror=_keep)
def _poll(_context, _t, _t_end):
    return 0


_seldom = ffi.new("saltus_seldom *", {"progress": _poll, "seconds": 0.05})


def poll(options):
    """Lets Ctrl-C end what is computed with these options."""
    options.progress, options.progress_context = lib.saltus_progress_seldom, _seldom


def guarded(signature, function):
    """A C callback whose exceptions end the call of the library, and are raised by Error.check."""
    return ffi.callback(signature, function, error=1, onerror=_keep)


class Error:
    """A saltus_error: ``check`` raises what it holds, and empties it."""

    __slots__ = ("place", "raw")

    def __init__(self, place=None):
        self.raw = ffi.new("saltus_error *")
        self.place = place  # from a line of a script that was made, to one of a Python file

    def check(self):
        raised = getattr(_raised, "value", None)
        if raised is not None:
            _raised.value = None
            self.raw.status = 0
            raise raised
        if self.raw.status:
            self.fail()

    def fail(self):
        raw = self.raw
        status, line, file = text(lib.saltus_status_name(raw.status)), raw.line, text(raw.file)
        message = in_python(text(raw.message) or text(lib.saltus_status_text(raw.status)))
        raw.status, raw.line, raw.file, raw.message = 0, 0, b"", b""
        if self.place:
            file, line, message = self.place(file, line, message)
        raise KINDS.get(status, SaltusError)(message, status, file, line)
