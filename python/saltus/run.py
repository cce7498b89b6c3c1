"""One motion: its costs, events, rows and derivatives."""
import operator

import numpy as np

from ._library import Error, ffi, guarded, in_python, lib, text
from ._named import name, room
from .errors import ArgumentError

METHODS = {text(lib.saltus_method_name(i)): i for i in range(lib.SALTUS_AUTO + 1)}
CLEARANCES = {i: text(lib.saltus_clearance_kind_name(i)) for i in range(lib.SALTUS_CLEAR_SAMPLE + 1)}
KEPT = 64  # runs of the library that a model keeps for later ones


NOTHING = ffi.new("double[1]")  # the address of arrays without numbers


def pointer(array):
    return ffi.from_buffer("double *", array) if array.size else NOTHING


def copy(doubles, *shape):
    """An array of the library, copied; None where there is none."""
    count = int(np.prod(shape))
    if not doubles:
        return None
    return np.frombuffer(ffi.buffer(doubles, count * 8), dtype=float).reshape(shape).copy()


class Seat:
    """A run of the library, for one simulation after the other."""

    __slots__ = ("raw", "error", "info", "costs")

    def __init__(self, system, options):
        self.error = Error(system.place)
        raw = lib.saltus_run_new(system.raw, options, self.error.raw)
        self.error.check()
        # a run borrows its system, which must not be freed before it, whatever Python frees first
        self.raw = ffi.gc(raw, lambda run, _system=system: lib.saltus_run_free(run))
        self.info = lib.saltus_run_get_info(raw)
        self.costs = ffi.new("double[]", max(len(system.costs), 1))


class Run:
    """One motion of a model, which ``m(...)`` and ``m.run(...)`` return.

    >>> run = saltus.example("bouncing_ball")(e=0.7)
    >>> run.outcome, len(run.events), run.t
    ('end', 4, 2.0)
    >>> print(run.costs["y_tF"].round(6), run.gradient["y_tF", "e"].round(6))
    0.058098 0.357626
    """

    __slots__ = ("_model", "_system", "_seat", "_vector", "_raw", "_error", "_info", "_options", "_pool", "_pointer",
                 "_costs", "_gradient", "__weakref__")

    def __init__(self, model, seat, vector, address, options, pool):
        self._model, self._system, self._seat, self._vector = model, model._compiled, seat, vector
        self._raw, self._error, self._info = seat.raw, seat.error, seat.info
        self._options, self._pool, self._pointer = options, pool, address
        self._costs = self._gradient = None

    def __del__(self):
        pool = self._pool
        if pool is not None and len(pool) < KEPT:
            pool.append(self._seat)  # the next simulation uses its memory

    def __reduce__(self):
        raise TypeError("a run cannot be pickled or copied: keep its arrays, or its model with run.params.to_dict()")

    # ---- how it went ------------------------------------------------------------------------

    @property
    def params(self):
        """All parameters of this run, by name."""
        return name(self._vector.copy(), self._system.params)

    @property
    def outcome(self):
        """How it ended: "end", "terminal event", "zeno", ..."""
        from .model import OUTCOMES
        return OUTCOMES[self._info.outcome]

    @property
    def message(self):
        """What happened and what to do, if the motion did not reach its end; else ""."""
        return in_python(text(self._info.message))

    @property
    def t(self):
        """The time reached."""
        return self._info.t

    @property
    def start_time(self):
        start = ffi.new("double *")
        lib.saltus_system_horizon(self._system.raw, start, ffi.new("char **"))
        return start[0]

    @property
    def steps(self):
        """How many steps were taken."""
        return self._info.steps

    @property
    def warnings(self):
        """What was warned of."""
        return [in_python(text(lib.saltus_run_warning(self._raw, i))) for i in range(self._info.warnings)]

    def __repr__(self):
        return (f"<saltus.Run of {self._system.name!r}: {self.outcome} at t = {self.t:g}, {self._info.events} events, "
                f"{self._info.steps} steps>")

    def _repr_html_(self):
        from ._page import show
        return show(self)

    # ---- values -----------------------------------------------------------------------------

    @property
    def costs(self):
        """The value of every cost, by name; NaN where the motion did not reach its end."""
        if self._costs is None:
            value = room(self._system.costs)
            if lib.saltus_run_costs(self._raw, pointer(value), self._error.raw):
                self._error.check()
            self._costs = value
        return self._costs

    @property
    def gradient(self):
        """The derivatives of all costs by the free parameters: ``run.gradient["energy", "g"]``."""
        if self._gradient is None:
            self._gradient = self.gradients()
        return self._gradient

    def gradients(self, costs=None, wrt=None, method="auto"):
        """The derivatives of these costs by these parameters, by "direct", "adjoint", "discrete", "tangent", "fd"
        or "auto"."""
        request = self._system.request(costs, wrt, method)
        gradient = room(request.costs, request.params)
        if lib.saltus_run_gradients(self._raw, request.raw, pointer(gradient), ffi.NULL, ffi.NULL, self._error.raw):
            self._error.check()
        return gradient

    @property
    def method(self):
        """The method by which the last gradient was computed."""
        return text(lib.saltus_method_name(lib.saltus_run_method_used(self._raw)))

    @property
    def events(self):
        """The events, as a DataFrame: when, which, modes before and after, rates, impulses, energies."""
        import pandas as pd
        rows = [lib.saltus_run_event(self._raw, i) for i in range(self._info.events)]
        automatic = [bool(lib.saltus_system_event(self._system.raw, r.event).automatic) for r in rows]
        return pd.DataFrame({"t": np.array([r.t for r in rows], dtype=float), "name": [text(r.name) for r in rows],
                             "from": [text(getattr(r, "from")) for r in rows], "to": [text(r.to) for r in rows],
                             "rate": np.array([r.rate for r in rows], dtype=float),
                             "impulse": np.array([r.impulse for r in rows], dtype=float),
                             "energy_before": np.array([r.energy_before for r in rows], dtype=float),
                             "energy_after": np.array([r.energy_after for r in rows], dtype=float),
                             "grazing": np.array([bool(r.grazing) for r in rows], dtype=bool),
                             "automatic": np.array(automatic, dtype=bool)})

    @property
    def event_times(self):
        """The times of the events, by name and number: ``run.event_times["floor 2"]``."""
        times, named = [], []
        for i in range(self._info.events):
            row = lib.saltus_run_event(self._raw, i)
            times.append(row.t)
            named.append(text(row.name))
        return name(np.array(times, dtype=float), _numbered(named))

    def event_gradient(self, wrt=None, method="auto"):
        """The derivatives of the times of events, ``["floor 2", "g"]``."""
        request = self._system.request((), wrt, method)
        events = self.event_times.axes[0]
        gradient = np.empty((len(events), len(request.params)))
        if gradient.size:
            lib.saltus_run_gradients(self._raw, request.raw, NOTHING, pointer(gradient), ffi.NULL, self._error.raw)
            self._error.check()
        return name(gradient, events, request.params)

    def motion(self, times=None, frame=True):
        """The motion at these times: an array, a number of rows, or None for 501 rows.

        A DataFrame with the time as its index; with ``frame=False`` an array, whose columns are
        ``run.columns``. At an event, a row has the state after it; times outside of the motion are NaN.

        >>> run = saltus.example("bouncing_ball")()
        >>> run.motion([0.0, 0.1])[["y", "dot(y)"]].round(4).to_numpy().tolist()
        [[1.0, 0.5], [1.001, -0.481]]
        """
        times = self._times(times)
        values = np.empty((len(times), lib.saltus_system_columns(self._system.raw)))
        lib.saltus_run_sample(self._raw, pointer(times), len(times), pointer(values), self._error.raw)
        self._error.check()
        if not frame:
            return values
        import pandas as pd
        return pd.DataFrame(values, index=pd.Index(times, name="t"), columns=self.columns)

    def _times(self, times):
        if times is None:
            times = 501
        if np.ndim(times) == 0:
            try:
                count = operator.index(times)
            except TypeError:
                raise ArgumentError(f"times are a list, [{times!r}], or a number of rows, such as 101") from None
            if count < 1:
                raise ArgumentError(f"a motion has one row or more, not {count}")
            return np.linspace(self.start_time, self.t, count)
        try:
            times = np.ascontiguousarray(times, dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError("the times of a motion must be numbers") from None
        if times.ndim != 1:
            raise ArgumentError(f"the times of a motion are a list of numbers; these have the shape {times.shape}")
        if (np.diff(times) < 0).any():
            raise ArgumentError("the times of a motion must ascend")
        return times

    @property
    def columns(self):
        """The names of the columns of the motion."""
        return self._system.columns()

    @property
    def final(self):
        """The last row of the motion, by column."""
        return name(self.motion([self.t], frame=False)[0], tuple(self.columns))

    def samples(self):
        """The values that a model keeps of samples (``saltus_samples``), one list for each row of them."""
        found, size = {}, self._system.size.samples
        for i in range(size):
            info = lib.saltus_system_samples(self._system.raw, i)
            values, times = np.empty(info.count), np.empty(info.count)
            lib.saltus_run_samples(self._raw, i, pointer(times), pointer(values), self._error.raw)
            self._error.check()
            found[text(info.name)] = times, values
        return found

    # ---- derivatives along the motion -------------------------------------------------------

    def sensitivities(self, times=None, wrt=None):
        """The derivatives of the state by parameters, along the motion, with both sides of events.

        >>> s = saltus.example("bouncing_ball")().sensitivities([0.1], wrt="v0")
        >>> s.q[0].round(12).tolist()
        [[0.1]]
        """
        return Sensitivities(self, self._times(times), wrt)

    def jump_matrix(self, event):
        """The jump matrix of an event, by its number: how a change before it goes on after it."""
        rows, columns = ffi.new("int *"), ffi.new("int *")
        lib.saltus_run_jump_matrix(self._raw, event, rows, columns, ffi.NULL, self._error.raw)
        self._error.check()
        matrix = np.empty((rows[0], columns[0]))
        lib.saltus_run_jump_matrix(self._raw, event, rows, columns, pointer(matrix), self._error.raw)
        self._error.check()
        return matrix

    def vjp(self, costs=None, event_times=None):
        """One walk backward: the derivatives of a weighted sum of costs and event times by all parameters."""
        gradient = np.empty(len(self._system.params))
        weights = [None if w is None else np.ascontiguousarray(w, dtype=float) for w in (costs, event_times)]
        for w, count in zip(weights, (len(self._system.costs), self._info.events)):
            if w is not None and w.shape != (count,):
                raise ArgumentError(f"{count} weights are needed, there are {w.shape}")
        given = [ffi.NULL if w is None else pointer(w) for w in weights]
        lib.saltus_run_vjp(self._raw, given[0], ffi.NULL, ffi.NULL, given[1], pointer(gradient), ffi.NULL,
                           self._error.raw)
        self._error.check()
        return name(gradient, self._system.params)

    def jvp(self, direction):
        """Walks forward: the derivatives of costs and event times along a direction of all parameters."""
        direction = self._direction(direction)
        costs, times = np.empty(len(self._system.costs)), np.empty(self._info.events)
        lib.saltus_run_jvp(self._raw, 1, pointer(direction), ffi.NULL, pointer(costs), ffi.NULL, ffi.NULL,
                           pointer(times), self._error.raw)
        self._error.check()
        return name(costs, self._system.costs), times

    def _direction(self, direction):
        if isinstance(direction, dict):
            vector = np.zeros(len(self._system.params))
            for key, value in direction.items():
                vector[self._system.find([key], self._system.params, "parameter")[0]] = value
            return vector
        vector = np.ascontiguousarray(direction, dtype=float)
        if vector.shape != (len(self._system.params),):
            raise ArgumentError(f"a direction has a number for each of the {len(self._system.params)} parameters")
        return vector

    def hessian_product(self, direction, costs=None):
        """The derivative of the gradient along a direction (a dictionary, or all parameters), by cost and parameter."""
        request = self._system.request(costs, self._system.params)
        direction = self._direction(direction)
        product = np.empty((len(request.costs), len(self._system.params)))
        lib.saltus_run_hessian_product(self._raw, request.raw, pointer(direction), pointer(product), self._error.raw)
        self._error.check()
        return name(product, request.costs, self._system.params)

    def hessian(self, cost, wrt=None):
        """The second derivatives of a cost, a symmetric table.

        >>> h = saltus.example("bouncing_ball")().hessian("y_tF", wrt="e,h0")
        >>> h.axes
        (('e', 'h0'), ('e', 'h0'))
        """
        request = self._system.request((cost,), wrt)
        rows = [np.asarray(self.hessian_product({p: 1.0}, (cost,)))[0][request.columns] for p in request.params]
        matrix = np.array(rows)
        return name((matrix + matrix.T) / 2, request.params, request.params)

    # ---- how far it can be trusted ----------------------------------------------------------

    def clearances(self, wrt=None):
        """What may change the sequence of events, and how far away it is: a DataFrame, the nearest first."""
        import pandas as pd
        request, rows = self._system.request((), wrt), []

        def visit(_context, c):
            gradient = copy(c.gradient, len(request.params))
            rows.append({"kind": CLEARANCES[c.kind], "what": text(c.text), "t": c.t, "value": c.value,
                         **dict(zip((f"d/d{p}" for p in request.params), gradient.tolist()))})
            return 0

        lib.saltus_run_clearances(self._raw, request.raw.params, request.raw.param_count,
                                  guarded("saltus_clearance_function", visit), ffi.NULL, self._error.raw)
        self._error.check()
        columns = ["kind", "what", "t", "value"] + [f"d/d{p}" for p in request.params]
        return pd.DataFrame(rows, columns=columns).sort_values("value", ignore_index=True)

    def trust(self, wrt=None):
        """Between which values of each parameter the sequence of events holds, and what ends it: a DataFrame."""
        import pandas as pd
        request = self._system.request((), wrt)
        found = ffi.new("saltus_trust[]", len(request.params))
        lib.saltus_run_trust(self._raw, request.raw.params, request.raw.param_count, found, self._error.raw)
        self._error.check()
        return pd.DataFrame({"value": self._vector[request.columns], "lower": [f.lower for f in found],
                             "upper": [f.upper for f in found], "lower_end": [text(f.lower_end) for f in found],
                             "upper_end": [text(f.upper_end) for f in found]}, index=list(request.params))

    def audit(self):
        """Verifies the events without the code that located them; a list of findings, empty if all is well."""
        found = []

        def finding(_context, f):
            found.append(text(f.text))
            return 0

        lib.saltus_run_audit(self._raw, guarded("saltus_audit_function", finding), ffi.NULL, ffi.NULL,
                             self._error.raw)
        self._error.check()
        return found

    def check(self):
        """What ``saltus check`` finds: gradients by all methods, duality, Taylor test, events, energy.

        >>> saltus.example("bouncing_ball")().check().ok
        True
        """
        from ._program import check
        return check(self)

    def report(self, path):
        """Writes the report: one HTML file with animation, plots, gradients, events, what-if sliders and checks."""
        from ._program import report
        return report(self, path)

    def plot(self, columns=None, times=None, ax=None):
        """Plots columns of the motion over time, with the events; returns matplotlib's axes."""
        import matplotlib.pyplot as plt
        frame = self.motion(times)
        columns = list(self._system.outputs or self._system.coordinates) if columns is None else columns
        missing = [c for c in ([columns] if isinstance(columns, str) else columns) if c not in frame]
        if missing:
            raise ArgumentError(f"there is no column {missing[0]!r}: there are {', '.join(self.columns)}")
        ax = ax or plt.gca()
        ax.plot(frame.index, frame[columns], label=columns)
        for t in self.event_times:
            ax.axvline(t, color="0.85", zorder=0, linewidth=1)
        ax.set_xlabel("t")
        ax.legend()
        return ax


def _numbered(names):
    count, numbered = {}, []
    for n in names:
        count[n] = count.get(n, 0) + 1
        numbered.append(f"{n} {count[n]}")
    return tuple(numbered)


class Sensitivities:
    """Derivatives of the state along the motion: ``t[row]``, ``q[row, coordinate, parameter]``, and likewise ``v``,
    ``c`` (memories) and ``z`` (costs so far); ``event`` has the number of the event at a row, or -1, and ``after``
    whether the row is just after it."""

    def __init__(self, run, times, wrt):
        system = run._system
        request = system.request((), wrt)
        self.params, self.coordinates = request.params, system.coordinates
        self.memories, self.costs = system.memories, system.costs
        parts = [self._walk(run, times, request.columns[i:i + lib.SALTUS_TANGENTS])
                 for i in range(0, max(len(request.params), 1), lib.SALTUS_TANGENTS)]
        self.t, self.event, self.after = parts[0][:3]
        self.q, self.v, self.c, self.z = (np.concatenate([p[i] for p in parts], axis=2) for i in range(3, 7))

    def _walk(self, run, times, columns):
        rows, n = [], len(columns)
        counts = [len(self.coordinates), len(self.coordinates), len(self.memories), len(self.costs)]

        def row(_context, r):
            at = r.at
            rows.append((at.t, at.event, bool(at.after),
                         *(ffi.buffer(d, k * n * 8)[:] if k * n else b""
                           for d, k in zip((r.dq, r.dv, r.dc, r.dz), counts))))
            return 0

        listed = ffi.new("int[]", columns.tolist() or [0])
        lib.saltus_run_tangents(run._raw, listed, n, pointer(times), len(times),
                                guarded("saltus_tangent_function", row), ffi.NULL, run._error.raw)
        run._error.check()
        arrays = [np.frombuffer(b"".join(r[3 + i] for r in rows), dtype=float).reshape(len(rows), k, n)
                  for i, k in enumerate(counts)]
        return (np.array([r[0] for r in rows]), np.array([r[1] for r in rows]),
                np.array([r[2] for r in rows]), *arrays)

    def to_frame(self):
        """A DataFrame whose columns are pairs (coordinate, parameter), with velocities as "dot(...)"."""
        import pandas as pd
        named = [*self.coordinates, *(f"dot({c})" for c in self.coordinates), *self.memories,
                 *(f"cost({c})" for c in self.costs)]
        values = np.concatenate([self.q, self.v, self.c, self.z], axis=1).reshape(len(self.t), -1)
        columns = pd.MultiIndex.from_product([named, self.params], names=["of", "by"])
        return pd.DataFrame(values, index=pd.Index(self.t, name="t"), columns=columns)
