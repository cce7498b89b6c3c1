"""Models built in Python: every word of the model language, written down as a script.

A call of a word adds one line to the script, and returns a value that stands for its result. So each word has
all its options, its checks and its messages here too, and a model built in Python is one that the program and
the C library can read. Lines remember the Python line that made them.
"""
import math
import numbers
import re
import sys
from pathlib import Path

from ._library import lib, text
from .errors import ArgumentError

FOLDER = str(Path(__file__).parent)
# Words that take one table: spring {P, Q, stiffness = k}.
TABLES = {"bar", "contact", "curve", "damper", "friction", "gear", "motor", "optimise", "periodic", "rod", "solver",
          "spring", "torsion_spring", "joint.revolute", "joint.prismatic", "joint.weld", "joint.distance", "joint.slot",
          "draw.line", "draw.circle", "draw.trace"}
GROUPS = {"joint": ("revolute", "prismatic", "weld", "distance", "slot"), "draw": ("line", "circle", "trace")}
# Words whose result the script may be told by a name: the first argument.
NAMED = {"param", "coordinate", "point", "body", "memory", "state", "control", "mode"}
# Methods of a model in Python that have the name of a word; the word is called otherwise.
RENAMED = {"goal": "optimise", "repeats": "periodic", "title": "model"}
KEYWORDS = set("and break do else elseif end false for function goto if in local nil not or repeat return then true "
               "until while math string table v".split())
LONGEST = 160  # characters of an expression before it gets a line of its own


def missing(name, message):
    """An AttributeError to which Python does not add a guess of its own."""
    error = AttributeError(message)
    error.name, error.obj = name, None
    return error


def words():
    """The words of the model language, sorted.

    >>> "coordinate" in saltus.words()
    True
    """
    found, i = [], 0
    listed = lib.saltus_script_words()
    while listed[i]:
        found.append(text(listed[i]))
        i += 1
    return found


def quote(value):
    """A text as Lua writes it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return '"' + escaped.replace("\0", "\\0") + '"'


def number(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    value = float(value)
    if math.isnan(value):
        return "(0/0)"
    if math.isinf(value):
        return "math.huge" if value > 0 else "-math.huge"
    return repr(value)


class Value:
    """What a word returns: an expression, a point, a body, a mode, a contact, ...

    Expressions are combined with + - * / ** and the functions of this package (``saltus.sin``; NumPy's do too).
    Points, bodies and contacts have parts: ``P.x``, ``B.angle``, ``c.closed``. Curves are called: ``cam(x)``.
    """

    __slots__ = ("_script", "_text", "_rank")

    def __init__(self, script, text, rank=9):
        self._script, self._text, self._rank = script, text, rank

    def __repr__(self):
        return self._text

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Value(self._script, f"{self._at(9)}.{name}")

    def point(self, u, v):
        """The point of a body that is at (u, v) from its centre."""
        return self._script.keep(f"{self._at(9)}:point({self._script.write(u)}, {self._script.write(v)})", None)

    def __call__(self, *arguments):
        given = ", ".join(self._script.write(a) for a in arguments)
        return self._script.short(f"{self._at(9)}({given})")

    def _at(self, rank):
        return self._text if self._rank >= rank else f"({self._text})"

    def _binary(self, op, a, b, left, right):
        """a op b; ``left`` and ``right``: how tightly the sides must bind to need no parentheses."""
        script = self._script
        for side in (a, b):
            if not isinstance(side, (Value, numbers.Real)):
                return NotImplemented
        rank = min(left, right)
        return script.short(f"{script.expression(a)._at(left)} {op} {script.expression(b)._at(right)}", rank)

    def __add__(self, other): return self._binary("+", self, other, 1, 2)
    def __radd__(self, other): return self._binary("+", other, self, 1, 2)
    def __sub__(self, other): return self._binary("-", self, other, 1, 2)
    def __rsub__(self, other): return self._binary("-", other, self, 1, 2)
    def __mul__(self, other): return self._binary("*", self, other, 2, 3)
    def __rmul__(self, other): return self._binary("*", other, self, 2, 3)
    def __truediv__(self, other): return self._binary("/", self, other, 2, 3)
    def __rtruediv__(self, other): return self._binary("/", other, self, 2, 3)
    def __pow__(self, other): return self._binary("^", self, other, 6, 5)
    def __rpow__(self, other): return self._binary("^", other, self, 6, 5)
    def __neg__(self): return self._script.short(f"-{self._at(4)}", 3)
    def __pos__(self): return self
    def __abs__(self): return apply("abs", self)

    def _compare(self, other):
        raise TypeError(f"{self!r} has no value while the model is built, so it cannot be compared: what depends on "
                        "the motion is an event, a mode, or one of abs, sign, min, max")

    __lt__ = __le__ = __gt__ = __ge__ = _compare

    def __bool__(self):
        raise TypeError(f"{self!r} has no value while the model is built, so it is neither true nor false: what "
                        "depends on the motion is an event, a mode, or one of abs, sign, min, max")

    def __float__(self):
        raise TypeError(f"{self!r} is an expression and no number: use the functions of saltus (saltus.sin, ...) "
                        "instead of those of math")

    def __iter__(self):
        raise TypeError(f"{self!r} is no list")


class Word:
    """A word of the language, to be called."""

    def __init__(self, script, name):
        self._script, self._name = script, name

    @property
    def __doc__(self):
        from ._program import explain
        inner = GROUPS.get(self._name)
        if inner:
            return "\n\n".join(explain(f"{self._name}.{n}") for n in inner)
        note = "\n\nHere options are keywords, and 'from' is 'from_'. The page docs/reference/language.md has more."
        return (explain(self._name) or f"The word '{self._name}' of the model language.") + note

    def __repr__(self):
        return f"<word {self._name}>"

    def __call__(self, *arguments, **options):
        return self._script.call(self._name, arguments, options)

    def __getattr__(self, name):
        inner = GROUPS.get(self._name, ())
        if name in inner:
            return Word(self._script, f"{self._name}.{name}")
        raise missing(name, f"'{self._name}' has no '{name}': there are {', '.join(inner) or 'none'}")

    def __dir__(self):
        return list(GROUPS.get(self._name, ()))


def cell_of(file):
    """The cell of a notebook, "Cell In[3]", instead of the file that its kernel makes up for it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    number = getattr(getattr(shell, "compile", None), "_filename_map", {}).get(file)
    return f"Cell In[{number}]" if number else file


# In messages: spring{P, Q, ...}, contact {..., rest = true}, cost("name", {final = ...}).
_TABLE = re.compile(r"\b((?:joint\.|draw\.)?[a-z_]+)() ?\{([^{}]*)\}")
_NAMED_TABLE = re.compile(r"\b([a-z_]+)\((\"[^\"]*\"), \{([^{}]*)\}\)")


def _as_python(found):
    """What a message advises to write, as it is written in Python."""
    word, name, inside = found.groups()
    if word not in TABLES and not name:
        return found[0]
    if word == "periodic":
        return "m.repeats({" + re.sub(r"\[(\w+)\] = ", r"\1: ", inside) + "})"
    inside = re.sub(r"\b(\w+) = ", lambda k: f"{k[1]}{'_' if k[1] == 'from' else ''}=", inside)
    inside = re.sub(r"=(true|false)\b", lambda k: f"={k[1].title()}", inside)
    renamed = next((k for k, v in RENAMED.items() if v == word), word)
    return f"m.{renamed}({name + ', ' if name else ''}{inside})"


class Script:
    """The text of a model, while it is built."""

    def __init__(self):
        self.lines, self.places, self.names, self.slots, self.changes = [], [], set(words()) | KEYWORDS, 0, 0

    # ---- text -------------------------------------------------------------------------------

    def text(self):
        return "\n".join(self.lines) + "\n"

    def add(self, line):
        """One more line, and the Python line that is to blame for it."""
        frame = sys._getframe(1)
        while frame and frame.f_code.co_filename.startswith(FOLDER):
            frame = frame.f_back
        self.lines.append(line)
        self.places.append((frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0))
        self.changes += 1

    def find_place(self, file, line, message):
        """Where the line of the script was made. Messages of the library may name other lines."""
        message = self.translate(message)
        if 0 < line <= len(self.places):
            file, made = self.places[line - 1]
            return cell_of(file), made, f"{message}\n    {self.lines[line - 1].strip()}"
        return "", 0, message

    def translate(self, message):
        """The message, with lines of the Python file in place of those of the script."""
        def made(found):
            line = int(found[1])
            return f"line {self.places[line - 1][1]}" if 0 < line <= len(self.places) else found[0]
        message = _TABLE.sub(_as_python, _NAMED_TABLE.sub(_as_python, re.sub(r"\bline (\d+)", made, message)))
        if re.search("two .* are called", message):
            message += "; if a cell of a notebook ran twice, begin again with saltus.Model(...)"
        return message

    def undo(self):
        self.places.pop()
        self.changes += 1
        return self.lines.pop()

    def keep(self, expression, name):
        """A value with a name of its own in the script."""
        if name is None:
            if self.slots == 0:
                self.add("v = {}")
            self.slots += 1
            target = f"v[{self.slots}]"
        else:
            target = re.sub(r"\W", "_", name, flags=re.A) or "_"
            if target[0].isdigit():
                target = "_" + target
            while target in self.names:
                target += "_"
            self.names.add(target)
        self.add(f"{target} = {expression}")
        return Value(self, target)

    def short(self, expression, rank=9):
        """An expression, kept under a name if it is long."""
        if len(expression) > LONGEST:
            return self.keep(expression, None)
        return Value(self, expression, rank)

    # ---- values -----------------------------------------------------------------------------

    def expression(self, value):
        if isinstance(value, Value):
            if value._script is not self:
                raise ArgumentError(f"{value!r} belongs to another model")
            return value
        written = number(value)
        return Value(self, written, 3 if written.startswith("-") else 9)

    def write(self, value):
        """Anything as Lua: numbers, texts, values, lists, tables."""
        if isinstance(value, Value):
            return self.expression(value)._text
        if isinstance(value, (bool, numbers.Real)):
            return number(value)
        if isinstance(value, str):
            return quote(value)
        if value is None:
            return "nil"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.key(k)} = {self.write(v)}" for k, v in value.items()) + "}"
        if hasattr(value, "tolist"):  # NumPy and pandas
            value = value.tolist()
            if isinstance(value, numbers.Real):
                return number(value)
        if isinstance(value, (list, tuple, range)):
            return "{" + ", ".join(map(self.write, value)) + "}"
        if callable(value):
            raise ArgumentError("a function is possible for rate= of a state and each= of a cost only")
        raise ArgumentError(f"{value!r} ({type(value).__name__}) cannot be part of a model")

    def key(self, key):
        if isinstance(key, Value):
            return f"[{self.expression(key)._text}]"
        if isinstance(key, str) and re.fullmatch(r"[A-Za-z_]\w*", key, re.A) and key not in KEYWORDS:
            return key
        return f"[{self.write(key)}]"

    def table(self, entries, options):
        parts = [self.write(e) for e in entries]
        parts += [f"{self.key(k[:-1] if k.endswith('_') else k)} = {self.write(v)}" for k, v in options.items()]
        return "{" + ", ".join(parts) + "}"

    # ---- words ------------------------------------------------------------------------------

    def call(self, word, arguments, options):
        if word == "state" and callable(options.get("rate")) and not isinstance(options["rate"], Value):
            rate = options.pop("rate")
            made = self.call(word, arguments, options)
            self.call("rate", (made, rate(made)), {})
            return made
        if word == "cost" and callable(options.get("each")) and not isinstance(options["each"], Value):
            each, times = options["each"], options.get("at", ())
            listed = self.keep(self.table([each(k + 1) for k in range(len(times))], {}), None)
            options = dict(options, each=Value(self, f"function(k) return {listed._text}[k] end"))
        if word in TABLES:
            if len(arguments) == 1 and isinstance(arguments[0], dict) and word == "periodic":
                written = f"{word} {self.write(arguments[0])}"
            else:
                written = f"{word} {self.table(arguments, options)}"
        else:
            given = [self.write(a) for a in arguments]
            if options:
                given.append(self.table((), options))
            written = f"{word}({', '.join(given)})"
        if word in ("dot", "ddot", "before", "after", "impulse", "multiplier", "step", "pulse", "mod"):
            return self.short(written)
        if word in ("contact", "curve", "ground_point", "data", "include", "mode") or word in NAMED:
            first = arguments[0] if word in NAMED and arguments and isinstance(arguments[0], str) else None
            return self.keep(written, first)
        self.add(written)
        return None


# ---- functions ------------------------------------------------------------------------------

def apply(name, *arguments):
    """A function of the language on expressions, or on numbers."""
    for a in arguments:
        if isinstance(a, Value):
            script = a._script
            return script.short(f"{name}({', '.join(script.expression(b)._text for b in arguments)})")
    op = _OPS[name]
    if len(arguments) > 2 and name in ("min", "max"):
        return apply(name, apply(name, *arguments[:-1]), arguments[-1])
    if len(arguments) == 1 and name in ("min", "max"):
        return float(arguments[0])
    return lib.saltus_apply_number(op, *map(float, arguments), *[0.0] * (2 - len(arguments)))


_OPS = {text(lib.saltus_op_text(i)): i for i in range(lib.SALTUS_OPS)}
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "erf", "exp", "log",
             "sqrt", "hypot", "pow", "abs", "sign", "min", "max")
_OPS["pow"] = lib.SALTUS_POW


def _function(name):
    def function(*arguments):
        return apply(name, *arguments)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of expressions and of numbers, as in the model language."
    return function


def _method(name):
    def method(self, *others):
        return apply(name, self, *others)
    return method


functions = {name: _function(name) for name in FUNCTIONS}
# NumPy's functions call methods of objects, with the names that they have in NumPy: numpy.sin(x), numpy.arctan(x). Those
# that Python or NumPy reach in another way (abs, **) or that mean something else for arrays (min, max) are left out.
_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh"}
for _name in FUNCTIONS:
    if _name not in ("pow", "abs", "min", "max"):
        setattr(Value, _NUMPY.get(_name, _name), _method(_name))


def _state_word(name, what):
    def function(expression):
        if not isinstance(expression, Value):
            raise ArgumentError(f"{name}() takes an expression of a model, not {expression!r}")
        return expression._script.call(name, (expression,), {})
    function.__name__ = function.__qualname__ = name
    function.__doc__ = what
    return function


dot = _state_word("dot", "The time derivative of an expression: ``dot(y)`` is the velocity of a coordinate.")
ddot = _state_word("ddot", "The second time derivative of an expression.")
after = _state_word("after", "In charges and resets: the value just after the event.")
before = _state_word("before", "In charges: the value just before the event.")
