"""Models: loaded from a script, or built in Python; compiled when they are first used."""
import html
import math
import operator
import os
import sys
import warnings
from collections import deque
from collections.abc import Mapping, MutableMapping

import numpy as np

from ._builder import FOLDER, GROUPS, RENAMED, Script, Value, Word, functions, missing, words
from ._library import OPTIONS, Error, ffi, in_python, lib, poll, text
from ._named import name
from .answers import Answers
from .errors import ArgumentError, SaltusError, SaltusWarning
from .run import METHODS, Run, Seat, pointer

OUTCOMES = {value: key[len("SALTUS_"):].lower().replace("_", " ")
            for value, key in ffi.typeof("saltus_outcome").elements.items()}


def warn(message, script=None):
    """A warning that points at the user's line; ``script``: that of a model built in Python."""
    message = in_python(message)
    message = script.translate(message) if script is not None else message
    level, frame = 2, sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(FOLDER):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, SaltusWarning, stacklevel=level)


class Options(MutableMapping):
    """The options of runs, by name: ``m.options["rtol"] = 1e-12``; ``until`` ends runs earlier or later, ``tol`` sets
    both tolerances."""

    def __init__(self, raw, changed):
        self._raw, self._changed, self._error = raw, changed, Error()

    def __getitem__(self, key):
        if key == "until":
            return None if math.isnan(self._raw.t_end) else self._raw.t_end
        if key not in OPTIONS:
            raise KeyError(f"there is no option {key!r}: there are until, {', '.join(OPTIONS)}")
        found = text(lib.saltus_options_get(self._raw, key.encode(), ffi.new("char[64]")))
        try:
            return float(found) if "." in found or "e" in found else int(found)
        except ValueError:
            return found

    def __setitem__(self, key, value):
        raw = ffi.new("saltus_options *", self._raw[0])  # runs keep those they were made with
        if key == "until":
            try:
                raw.t_end = math.nan if value is None else float(value)
            except (TypeError, ValueError):
                raise ArgumentError(f"until is a time, not {value!r}") from None
        else:
            written = repr(float(value)) if isinstance(value, float) else str(value)
            for one in ("rtol", "atol") if key == "tol" else (key,):
                lib.saltus_options_set(raw, one.encode(), written.encode(), self._error.raw)
                self._error.check()
        self._raw = raw
        self._changed(raw)

    def __delitem__(self, key):
        raise TypeError("options cannot be removed")

    def __iter__(self):
        return iter(("until", *OPTIONS))

    def __len__(self):
        return len(OPTIONS) + 1

    def __repr__(self):
        return f"Options({dict(self)!r})"


class System:
    """A compiled model, with the names of what it consists of."""

    def __init__(self, raw_model, error):
        # compiling asks the model's own options whether to go on; what it copies must not
        own = lib.saltus_model_options(raw_model)
        poll(own)
        raw = lib.saltus_system_compile(raw_model, error.raw)
        own.progress = ffi.NULL
        error.check()
        self.place = error.place
        self.model, self.raw = raw_model, ffi.gc(raw, lib.saltus_system_free)
        size = self.size = lib.saltus_system_size(raw)
        self.name = text(lib.saltus_system_name(raw))
        infos = [lib.saltus_system_param(raw, i) for i in range(size.params)]
        self.params = tuple(text(p.name) for p in infos)
        self.index = {p: i for i, p in enumerate(self.params)}
        self.defaults = np.array([p.value for p in infos], dtype=float)
        self.lower = np.array([p.lower for p in infos], dtype=float)
        self.upper = np.array([p.upper for p in infos], dtype=float)
        self.has_bounds = bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())
        self.fixed = np.array([bool(p.fixed) for p in infos], dtype=bool)
        self.free = tuple(p for p, f in zip(self.params, self.fixed) if not f)
        self.costs = self.names(lib.saltus_system_cost, size.costs)
        self.coordinates = self.names(lib.saltus_system_coordinate, size.coordinates)
        self.constraints = self.names(lib.saltus_system_constraint, size.constraints)
        self.memories = self.names(lib.saltus_system_memory, size.memories)
        self.modes = self.names(lib.saltus_system_mode, size.modes)
        self.outputs = self.names(lib.saltus_system_output, size.outputs)
        self.events = self.names(lib.saltus_system_event, size.events)
        # the shape of an array that has all parameters and needs no further look
        self.quick = None if self.has_bounds or self.fixed.any() else self.defaults.shape
        self.requests, self.limits = {}, tuple(zip(self.lower.tolist(), self.upper.tolist()))

    def names(self, call, count):
        return tuple(text(call(self.raw, i).name) for i in range(count))

    def columns(self):
        """The names of the columns of a motion."""
        q = self.coordinates
        rows = [list(q), [f"dot({c})" for c in q], [f"ddot({c})" for c in q]]
        for i in range(len(q)):  # of a first-order state: its integral, itself, its rate
            if lib.saltus_system_is_state(self.raw, i):
                rows[0][i], rows[1][i], rows[2][i] = f"integral({q[i]})", q[i], f"dot({q[i]})"
        named = sum(rows, []) + [f"multiplier({c})" for c in self.constraints] + list(self.memories)
        named += [f"cost({c})" for c in self.costs]
        return named + [o if o not in named else f"output({o})" for o in self.outputs]

    def find(self, names, among, what):
        """The indices of names, or of patterns such as "u*"."""
        if isinstance(names, str):
            names = [n.strip() for n in names.split(",")]
        found = []
        for wanted in names:
            if not isinstance(wanted, str):
                raise ArgumentError(f"a {what} is named by a text, not by {wanted!r}: there are {', '.join(among)}")
            matches = [i for i, n in enumerate(among)
                       if n == wanted or ("*" in wanted and lib.saltus_name_matches(wanted.encode(), n.encode()))]
            if not matches:
                raise ArgumentError(f"there is no {what} {wanted!r}{nearest(wanted, among)}")
            found += [i for i in matches if i not in found]
        return found

    def request(self, costs=None, wrt=None, method="auto"):
        """A saltus_request, with the names of its rows and columns; kept for the next time."""
        try:
            key = (costs if costs is None or isinstance(costs, str) else tuple(costs),
                   wrt if wrt is None or isinstance(wrt, str) else tuple(wrt), method)
            found = self.requests.get(key)
        except TypeError:
            raise ArgumentError("costs and parameters are named by texts, as in costs=\"height\" or "
                                f"wrt=[\"g\", \"e\"]; these are costs={costs!r}, wrt={wrt!r}") from None
        if found is not None:
            return found
        if method not in METHODS:
            raise ArgumentError(f"there is no method {method!r}: there are {', '.join(METHODS)}")
        rows = range(len(self.costs)) if costs is None else self.find(costs, self.costs, "cost")
        columns = self.find(self.free if wrt is None else wrt, self.params, "parameter")
        lists = ffi.new("int[]", list(rows) or [0]), ffi.new("int[]", columns or [0])
        raw = ffi.new("saltus_request *", {"method": METHODS[method], "costs": lists[0], "cost_count": len(rows),
                                           "params": lists[1], "param_count": len(columns)})
        made = Request(raw, lists, tuple(self.costs[i] for i in rows), tuple(self.params[i] for i in columns),
                       np.array(list(rows), dtype=int), np.array(columns, dtype=int))
        self.requests[key] = made
        return made


class Request:
    """Costs by parameters, as the library and as NumPy understand them."""

    __slots__ = ("raw", "lists", "costs", "params", "rows", "columns", "row")

    def __init__(self, raw, lists, costs, params, rows, columns):
        self.raw, self.lists, self.costs, self.params, self.rows, self.columns = raw, lists, costs, params, rows, columns
        self.row = int(rows[0]) if len(rows) else -1


def nearest(wanted, among):
    """What to write instead, for a message."""
    listed = [ffi.new("char[]", n.encode()) for n in among]
    close = lib.saltus_nearest(wanted.encode(), ffi.new("char *[]", listed) if listed else ffi.NULL, len(listed))
    if close:
        return f", did you mean {text(close)!r}?"
    return f": there are {', '.join(among)}" if among else ": there are none"


def unknown(key, params):
    """What to say of a parameter that is not there."""
    if key in OPTIONS or key in ("until", "tol"):
        return f"there is no parameter {key!r}, but an option: m.run(options={{{key!r}: ...}}), or m.options[{key!r}] = ..."
    return f"there is no parameter {key!r}{nearest(key, params)}"


class Info(Mapping):
    """Parameters and their values, by name."""

    def __init__(self, names, values):
        self._values = dict(zip(names, map(float, values)))

    def __getitem__(self, key):
        return self._values[key]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __repr__(self):
        return repr(self._values)


class Model(Answers):
    """A mechanism: what it consists of, how it moves, and what is measured on it.

    Load one with :func:`saltus.load`, or build one with the words of the model language as methods:

    >>> m = saltus.Model("bouncing ball")
    >>> g, e = m.param("g", 9.81), m.param("e", 0.8)
    >>> y = m.coordinate("y", start=1)
    >>> m.mass(y, 1)
    >>> m.force(y, -g)
    >>> m.event("floor", when=y, direction="falling", set={m.dot(y): -e * m.dot(y)})
    >>> m.cost("height", final=y)
    >>> m.horizon(0, 1)
    >>> run = m(e=0.7)
    >>> print(round(run.costs["height"], 6), round(run.gradient["height", "e"], 6))
    0.22506 2.429447

    Options of words that are Python's own get an underscore after them: ``from_=``. Three words have other names,
    since a model has methods of theirs: ``m.goal`` is ``optimise {...}``, ``m.repeats`` is ``periodic {...}``,
    ``m.title`` is ``model``.
    """

    def __init__(self, title=None, *, settings=None, options=None, data=None, seed=0, folder=None):
        self._script = Script()
        self._source = None
        self._begin(settings, options, data, seed, folder)
        if title is not None:
            self.title(title)

    def _begin(self, settings, options, data, seed, folder):
        self._settings, self._asked = dict(settings or {}), dict(options or {})
        self._data = {k: os.fspath(v) for k, v in (data or {}).items()}
        self._seed, self._folder = seed, None if folder is None else os.fspath(folder)
        self._compiled, self._changes, self._printed = None, -1, []
        self._pool, self._options = deque(), None

    def __getstate__(self):
        """For pickle and copy: what the model is made of, without what is compiled; options as they are now."""
        kept = ("_script", "_source", "_settings", "_data", "_seed", "_folder")
        state = {key: self.__dict__[key] for key in kept}
        state["_asked"] = self._asked if self._options is None else dict(self._options)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._compiled, self._changes, self._printed = None, -1, []
        self._pool, self._options = deque(), None

    @classmethod
    def _loaded(cls, source, **given):
        self = cls.__new__(cls)
        self._script, self._source = None, source  # (file, None) or (name, text)
        self._begin(**given)
        self._system()
        return self

    # ---- words ------------------------------------------------------------------------------

    def __getattr__(self, key):
        if key.startswith("_"):
            raise AttributeError(key)
        if self._script is not None:
            if key == "t":
                return Value(self._script, "t")
            word = RENAMED.get(key, key)
            if key in functions:
                return functions[key]
            if word in _words:
                return Word(self._script, word)
        elif RENAMED.get(key, key) in _words:
            raise missing(key, f"'{key}' is a word of the model language, and this model was loaded from a script: "
                               "words are for models that are built, m = saltus.Model(\"name\")")
        if key in vars(Run):
            raise missing(key, f"a model has no {key!r}, a run of it has: m().{key}")
        hint = nearest(key, [n for n in dir(self) if not n.startswith("_")])
        raise missing(key, f"a model has no {key!r}{hint if 'mean' in hint else ''}")

    def __dir__(self):
        own = [n for n in super().__dir__()]
        return own + (sorted(set(_words) | set(RENAMED) | set(GROUPS)) if self._script is not None else [])

    def setting(self, name, value):
        """A plain value that ``settings=`` can replace; returns it."""
        if self._script is None:
            raise AttributeError("settings of a loaded model are given to saltus.load(..., settings=...)")
        self._script.call("setting", (name, value), {})
        return self._settings.get(name, value)

    @property
    def script(self):
        """The model as a script: what the program and the C library read."""
        if self._script is not None:
            return self._script.text()
        if self._source[1] is not None:
            return self._source[1]
        with open(self._source[0], encoding="utf-8") as file:
            return file.read()

    def save(self, path):
        """Writes the script to a file, for ``saltus.load`` and for the program."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.script)

    def undo(self):
        """Takes back the last word, after a mistake in a notebook; returns its line of the script."""
        if self._script is None or not self._script.lines:
            raise ArgumentError("there is no word to take back")
        return self._script.undo()

    # ---- compiling --------------------------------------------------------------------------

    def _system(self):
        changes = self._script.changes if self._script is not None else 0
        if self._compiled is None or changes != self._changes:
            self._compile()
            self._changes = changes
        return self._compiled

    def _load(self):
        options = ffi.new("saltus_script_options *", lib.saltus_script_options_default())
        keep, overrides = [], []
        for key, value in self._settings.items():
            keep.append(ffi.new("char[]", key.encode()))
            one = {"name": keep[-1], "value": 0.0, "text": ffi.NULL}
            if isinstance(value, (str, bool)):
                keep.append(ffi.new("char[]", str(value).lower().encode() if isinstance(value, bool)
                                    else value.encode()))
                one["text"] = keep[-1]
            else:
                one["value"] = float(value)
            overrides.append(one)
        files = []
        for key, value in self._data.items():
            keep += [ffi.new("char[]", key.encode()), ffi.new("char[]", os.fsencode(value))]
            files.append({"name": keep[-2], "file": keep[-1]})
        options.overrides = listed = ffi.new("saltus_override[]", overrides)
        options.override_count = len(overrides)
        options.data = data = ffi.new("saltus_data_file[]", files)
        options.data_count, options.seed = len(files), self._seed
        if self._folder is not None or self._script is not None:
            keep.append(ffi.new("char[]", os.fsencode(self._folder or "")))
            options.folder = keep[-1]
        printed = []
        show = ffi.callback("void(void *, const char *, size_t)",
                            lambda _, chars, length: printed.append(ffi.unpack(chars, length).decode()))
        options.print = show
        error = Error(self._script.find_place if self._script is not None else None)
        if self._script is None and self._source[1] is None:
            raw = lib.saltus_model_load_with(os.fsencode(self._source[0]), options, error.raw)
        else:
            written = self.script.encode()
            title = b"model" if self._script is not None else self._source[0].encode()
            raw = lib.saltus_model_load_text(title, written, len(written), options, error.raw)
        if printed:
            print("".join(printed), end="")
        error.check()
        del listed, data
        raw = ffi.gc(raw, lib.saltus_model_free)
        lib.saltus_model_check_overrides(raw, error.raw)
        error.check()
        return raw, error

    def _compile(self):
        raw, error = self._load()
        system = System(raw, error)
        self._compiled = system
        self._error = error
        self._raw_options = ffi.new("saltus_options *", lib.saltus_system_options(system.raw))
        poll(self._raw_options)
        self._raw_options.threads = os.cpu_count() or 1
        self._options = Options(self._raw_options, self._set_options)
        self._set_options(self._raw_options)
        for key, value in self._asked.items():
            self._options[key] = value
        for i in range(lib.saltus_system_warning_count(system.raw)):
            warn(text(lib.saltus_system_warning(system.raw, i)), self._script)

    def _set_options(self, raw):
        self._raw_options = raw
        self._pool = deque()  # runs of the library keep their options

    # ---- what it consists of ----------------------------------------------------------------

    @property
    def name(self):
        """The title."""
        return self._system().name

    @property
    def options(self):
        """The options of runs, by name; assign to change them: ``m.options["rtol"] = 1e-12``."""
        self._system()
        return self._options

    @property
    def params(self):
        """All parameters with their values."""
        system = self._system()
        return Info(system.params, system.defaults)

    @property
    def free(self):
        """The names of the parameters that are not fixed: those of gradients, unless you say otherwise."""
        return self._system().free

    @property
    def costs(self):
        """The names of the costs."""
        return self._system().costs

    @property
    def bounds(self):
        """Lower and upper bounds of the free parameters, as SciPy takes them."""
        system = self._system()
        return [(None if math.isinf(l) else l, None if math.isinf(u) else u)
                for l, u, f in zip(system.lower.tolist(), system.upper.tolist(), system.fixed) if not f]

    @property
    def start(self):
        """The values of the free parameters, as an array to begin searches with."""
        system = self._system()
        return name(system.defaults[~system.fixed], system.free)

    def describe(self):
        """All parameters, costs, events and so on, as a dictionary of lists of names."""
        system = self._system()
        return {key: list(getattr(system, key)) for key in ("params", "free", "costs", "coordinates", "constraints",
                                                           "memories", "modes", "events", "outputs")}

    def table(self):
        """The parameters as a DataFrame: values, bounds, units, what they are."""
        import pandas as pd
        system = self._system()
        infos = [lib.saltus_system_param(system.raw, i) for i in range(len(system.params))]
        return pd.DataFrame({"value": system.defaults, "lower": system.lower, "upper": system.upper,
                             "fixed": system.fixed, "unit": [text(p.unit) for p in infos],
                             "doc": [text(p.doc) for p in infos]}, index=list(system.params))

    def __repr__(self):
        if self._compiled is None:
            return f"<saltus.Model, being built, {len(self._script.lines)} lines>"
        system = self._compiled
        return (f"<saltus.Model {system.name!r}: {len(system.coordinates)} coordinates, {len(system.params)} "
                f"parameters, {len(system.costs)} costs>")

    def _repr_html_(self):
        return None if self._compiled is None else f"<p>{html.escape(repr(self))}</p>{self.table()._repr_html_()}"

    # ---- values of parameters ---------------------------------------------------------------

    def _vector(self, params, values, wrt=None):
        """All parameters, from an array of those of ``wrt``, a mapping, and values by name."""
        system = self._compiled
        if system is None or self._script is not None:
            system = self._system()
        if isinstance(params, np.ndarray) and system.quick and wrt is None and params.shape == system.quick:
            vector = np.array(params, dtype=float)
            if not values:
                return vector
        else:
            vector = system.defaults.copy()
        if params is not None:
            if isinstance(params, Mapping):
                values = {**params, **values}
            else:
                request = system.request(wrt=wrt)
                if np.shape(params) != (len(request.params),):
                    raise ArgumentError(f"there are {len(request.params)} parameters to give, "
                                        f"{', '.join(request.params)}; the array has the shape {np.shape(params)}")
                try:
                    vector[request.columns] = params
                except (TypeError, ValueError):
                    raise ArgumentError(f"the parameters {', '.join(request.params)} must be numbers, not "
                                        f"{params!r}") from None
                if system.has_bounds:
                    self._check_values(vector)
        for key, value in values.items():
            try:
                i = system.index[key]
                vector[i] = value
                low, high = system.limits[i]
                if not low <= value <= high and value == value:
                    self._check_values(vector)
            except KeyError:
                raise ArgumentError(unknown(key, system.params)) from None
            except (TypeError, ValueError) as failure:
                if isinstance(failure, ArgumentError):
                    raise
                raise ArgumentError(f"parameter {key!r} is {value!r}, which is no number") from None
        return vector

    def _check_values(self, vector):
        system = self._compiled
        if system.has_bounds and ((vector < system.lower).any() or (vector > system.upper).any()):
            outside = (vector < system.lower) | (vector > system.upper)
            i = int(np.argwhere(outside)[0][-1])
            value = vector[outside][0] if vector.ndim > 1 else vector[i]
            raise ArgumentError(f"parameter {system.params[i]!r} is {value:g}, outside of its bounds, "
                                f"{system.lower[i]:g} to {system.upper[i]:g}")

    # ---- runs -------------------------------------------------------------------------------

    def __call__(self, params=None, **values):
        """Simulates; parameters that are not named keep their values: ``m(L01=2.2)``."""
        return self._simulate(self._vector(params, values))

    def run(self, params=None, *, until=None, options=None, **values):
        """Simulates, like calling the model, with other options for this run only.

        ``until`` ends it at that time; ``options`` is a dictionary: ``m.run(e=0.7, options={"rtol": 1e-12})``.
        """
        vector = self._vector(params, values)
        if until is None and not options:
            return self._simulate(vector)
        changed = Options(self._raw_options, lambda raw: None)
        changed.update(options or {})
        if until is not None:
            changed["until"] = until
        return self._simulate(vector, changed._raw)

    def _take(self):
        """A run of the library that nobody uses."""
        try:
            return self._pool.pop()
        except IndexError:
            return Seat(self._compiled, self._raw_options)

    def _simulate(self, vector, options=None):
        seat = Seat(self._compiled, options) if options else self._take()
        address = pointer(vector)
        run = Run(self, seat, vector, address, options or self._raw_options, None if options else self._pool)
        if lib.saltus_run_simulate(seat.raw, address, seat.error.raw):
            seat.error.check()
        info = seat.info
        if info.warnings or info.outcome > 1:
            self._warn(seat.raw, info, seat.error)
        return run

    def _warn(self, raw, info, error):
        if info.outcome == lib.SALTUS_INTERRUPTED:
            error.check()
            raise KeyboardInterrupt
        for i in range(info.warnings):
            warn(text(lib.saltus_run_warning(raw, i)), self._script)
        if info.outcome not in (lib.SALTUS_END, lib.SALTUS_TERMINAL_EVENT):
            warn(f"the motion did not reach its end ({OUTCOMES[info.outcome]}): {text(info.message)}", self._script)

    def value_and_gradient(self, params=None, cost=None, **values):
        """The value of one cost and its gradient by the free parameters, as SciPy's ``jac=True`` wants them.

        >>> m = saltus.example("bouncing_ball")
        >>> value, gradient = m.value_and_gradient(m.start, "int_v2")
        >>> print(round(value, 6), gradient.round(4))
        8.074217 [ 0.4175 27.2576 11.7511  0.6031]
        """
        vector = self._vector(params, values)
        system = self._compiled
        if cost is None:
            if len(system.costs) != 1:
                raise ArgumentError(f"which cost? There are {', '.join(system.costs)}")
            cost = system.costs[0]
        request, seat = system.request(cost), self._take()
        error, gradient, costs = seat.error.raw, np.empty(len(request.params)), seat.costs
        if lib.saltus_run_simulate(seat.raw, pointer(vector), error):
            seat.error.check()
        info = seat.info
        if info.warnings or info.outcome > 1:
            self._warn(seat.raw, info, seat.error)
        if (lib.saltus_run_gradients(seat.raw, request.raw, pointer(gradient), ffi.NULL, ffi.NULL, error)
                or lib.saltus_run_costs(seat.raw, costs, error)):
            seat.error.check()
        value = costs[request.row]
        self._pool.append(seat)
        return value, gradient

    def map(self, params, *, wrt=None, costs=None, gradients=False, method="auto", threads=None, **values):
        """Costs, and with ``gradients=True`` their gradients, at many points, on all processors.

        ``params`` is a table with a row for each point and a column for each free parameter (or each of
        ``wrt``), or a dictionary or DataFrame of columns. Points that cannot be computed are NaN;
        ``status`` and ``outcome`` of the result say which, and ``why(point)`` says why.

        >>> m = saltus.example("bouncing_ball")
        >>> found = m.map({"e": [0.7, 0.8, 0.9]}, costs="y_tF", gradients=True)
        >>> found.costs.round(4).tolist()
        [[0.0581], [0.2548], [0.1971]]
        >>> found.gradients.shape
        (3, 1, 4)
        """
        system = self._system()
        request = system.request(costs, wrt, method)
        points, request = self._points(system, params, values, request, costs, wrt, method)
        count = len(points)
        cost = np.empty((count, len(request.costs)))
        gradient = np.empty((count, len(request.costs), len(request.params))) if gradients else None
        result = np.empty(count, dtype=RESULT)
        options = ffi.new("saltus_options *", self._raw_options[0])
        options.threads = count_of(threads, "threads") or os.cpu_count() or 1
        error = Error(system.place)
        lib.saltus_map(system.raw, options, request.raw, pointer(points), count, pointer(cost),
                       pointer(gradient) if gradients else ffi.NULL,
                       ffi.from_buffer("saltus_map_result *", result, require_writable=True) if count else ffi.NULL,
                       error.raw)
        error.check()
        return Mapped(request, points, cost, gradient, result, (self, self._raw_options, costs, wrt, method))

    def _points(self, system, params, values, request, costs, wrt, method):
        if hasattr(params, "columns") and hasattr(params, "to_numpy"):  # a DataFrame
            params = {c: params[c].to_numpy() for c in params.columns}
        if isinstance(params, Mapping):
            columns, count = columns_of(params, system)
            where, given = [system.index[k] for k in columns], list(columns.values())
            twice = [k for k in columns if k in values]
            if twice:
                raise ArgumentError(f"{twice[0]!r} is given twice, as a column and as one value")
        else:
            try:
                table = np.asarray(params, dtype=float)
            except (TypeError, ValueError):
                raise ArgumentError("the table of points must be numbers, with rows of one length") from None
            if table.ndim != 2 or table.shape[1] != len(request.params):
                raise ArgumentError(f"a table with {len(request.params)} columns is needed, {', '.join(request.params)}"
                                    f"; this one has the shape {table.shape}")
            count, where, given = len(table), request.columns, table.T
        points = np.tile(self._vector(None, values), (count, 1))
        for column, value in zip(where, given):
            points[:, column] = value
        self._check_values(points)
        return points, request


def columns_of(params, system):
    """The columns of a table by their names, and how many rows they have; one number is the same in all rows."""
    columns = {}
    for key, given in params.items():
        if key not in system.index:
            raise ArgumentError(unknown(key, system.params) if isinstance(key, str) else
                                f"columns are named by texts, not by {key!r}: there are {', '.join(system.params)}")
        try:
            columns[key] = column = np.atleast_1d(np.asarray(given, dtype=float))
        except (TypeError, ValueError):
            raise ArgumentError(f"the column {key!r} has something in it that is no number") from None
        if column.ndim != 1:
            raise ArgumentError(f"the column {key!r} has the shape {column.shape}: it needs a number for each point")
    lengths = {k: len(c) for k, c in columns.items() if len(c) != 1}
    if len(set(lengths.values())) > 1:
        raise ArgumentError("the columns differ in length: " + ", ".join(f"{k} has {n}" for k, n in lengths.items()))
    return columns, next(iter(lengths.values()), 1)


def count_of(given, what):
    """How many; 0 stands for what is best."""
    try:
        count = 0 if given is None else operator.index(given)
    except TypeError:
        count = -1
    if count < 0:
        raise ArgumentError(f"{what} is a whole number, not {given!r}")
    return count


RESULT = np.dtype({"names": ["status", "outcome", "events", "t"], "formats": ["i4", "i4", "i4", "f8"],
                   "offsets": [ffi.offsetof("saltus_map_result", f) for f in ("status", "outcome", "events", "t")],
                   "itemsize": ffi.sizeof("saltus_map_result")})


class Mapped:
    """What ``Model.map`` returns.

    ``costs[point, cost]``, ``gradients[point, cost, parameter]`` or None, ``points[point, parameter]`` with all
    parameters, ``status`` and ``outcome`` (texts, by point), ``events`` (how many), ``t`` (the time reached),
    ``ok`` (by point); ``cost_names`` and ``param_names``. ``why(point)`` says what happened at a point that has no
    costs.
    """

    def __init__(self, request, points, cost, gradient, result, asked):
        self._asked = asked
        self.costs, self.gradients, self.points = cost, gradient, points
        self.cost_names, self.param_names = request.costs, request.params
        self.events, self.t, self._result = result["events"], result["t"], result

    @property
    def ok(self):
        return (self._result["status"] == 0) & (self._result["outcome"] <= lib.SALTUS_TERMINAL_EVENT)

    @property
    def status(self):
        texts = {int(s): text(lib.saltus_status_text(int(s))) for s in np.unique(self._result["status"])}
        return np.array([texts[s] for s in self._result["status"].tolist()], dtype=object)

    @property
    def outcome(self):
        return np.array([OUTCOMES[o] for o in self._result["outcome"].tolist()], dtype=object)

    def why(self, point):
        """What went wrong at a point, and what to do; "" where nothing did. It is simulated again, alone.

        >>> found = saltus.example("bouncing_ball").map({"e": [0.3, 0.8]})
        >>> found.ok.tolist(), found.why(0)[:44]
        ([False, True], "Zeno: event 'floor' happened 12 times and ac")
        """
        model, options, costs, wrt, method = self._asked
        if self.ok[point]:
            return ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run = model._simulate(self.points[point].copy(), options)
                if self.gradients is not None and run.outcome in ("end", "terminal event"):
                    run.gradients(costs, wrt, method)
            except SaltusError as failure:
                return failure.message
            return run.message

    def to_frame(self):
        """Costs and how the motions ended, as a DataFrame."""
        import pandas as pd
        frame = pd.DataFrame(self.costs, columns=list(self.cost_names))
        frame["events"], frame["t"], frame["outcome"] = self.events, self.t, self.outcome
        return frame

    def __len__(self):
        return len(self.costs)

    def __repr__(self):
        return f"<{len(self)} points, {int(self.ok.sum())} of them computed: {', '.join(self.cost_names)}>"


_words = frozenset(words())


def load(path, *, settings=None, options=None, data=None, seed=0, folder=None):
    """Loads a model from a script.

    ``settings`` replaces values of ``setting`` and ``param`` of the script, ``options`` those of the solver,
    ``data`` says which files ``data("name")`` reads.

    >>> m = saltus.load("models/bouncing_ball.lua", settings={"e": 0.7})
    >>> m
    <saltus.Model 'bouncing ball': 1 coordinates, 4 parameters, 7 costs>
    """
    if isinstance(path, str) and "\n" in path:
        raise ArgumentError("this is the text of a script and not the name of a file: saltus.loads(text) reads it")
    return Model._loaded((os.fspath(path), None), settings=settings, options=options, data=data, seed=seed,
                         folder=folder)


def loads(script, name="model.lua", *, settings=None, options=None, data=None, seed=0, folder=None):
    """Loads a model from the text of a script.

    >>> m = saltus.loads('local x = coordinate("x", {start = 1}) mass(x, 1) force(x, -x) horizon(0, 1)')
    >>> print(m().final["x"].round(6))
    0.540302
    """
    if "\n" not in script and script.strip().endswith(".lua"):
        raise ArgumentError(f"this is the name of a file and not a script: saltus.load({script.strip()!r}) reads it")
    return Model._loaded((name, script), settings=settings, options=options, data=data, seed=seed, folder=folder)
