"""Answers that take many runs, as methods of a model: optimise, fit, periodic, equilibrium."""
import math
from collections.abc import Mapping
from numbers import Real

import numpy as np

from ._library import Error, ffi, guarded, in_python, lib, text
from ._named import name
from .errors import ArgumentError
from .run import copy, pointer

ENDS = {kind: {value: key.split("_", 2)[2].lower().replace("_", " ")
               for value, key in ffi.typeof(f"saltus_{kind}").elements.items()}
        for kind in ("periodic_end", "equilibrium_end", "fit_end")}
SEQUENCES = {"keep": lib.SALTUS_KEEP_SEQUENCE, "free": lib.SALTUS_FREE_SEQUENCE,
             "search": lib.SALTUS_SEARCH_SEQUENCES}
ENGINES = {"sqp": lib.SALTUS_ENGINE_SQP, "nlopt": lib.SALTUS_ENGINE_NLOPT, "ipopt": lib.SALTUS_ENGINE_IPOPT}


def texts(names):
    """A list of texts for the library, and what keeps them alive."""
    kept = [ffi.new("char[]", n.encode()) for n in names]
    return ffi.new("char *[]", kept or [ffi.NULL]), kept


class Result:
    """What was found; its fields are listed by ``print``."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __repr__(self):
        lines = []
        for key, value in self.__dict__.items():
            if value is None or key.startswith("_") or (isinstance(value, (str, list)) and not value):
                continue
            shown = show_rows(value) if isinstance(value, list) and isinstance(value[0], dict) else repr(value)
            lines.append(f"{key}: {shown}" if "\n" not in shown else f"{key}:\n{shown}")
        return "\n".join(lines)


def show_rows(rows):
    """A list of dictionaries, as a table; arrays in it take a line."""
    shown = [[(" ".join(f"{k}={v:.6g}" for k, v in x.to_dict().items()) if hasattr(x, "to_dict") else
               ", ".join(x) if isinstance(x, list) else f"{x:.6g}" if isinstance(x, float) else str(x))
              for x in row.values()] for row in rows]
    table = [list(rows[0]), *shown]
    widths = [max(map(len, column)) for column in zip(*table)]
    return "\n".join("  ".join(x.ljust(w) for x, w in zip(row, widths)).rstrip() for row in table)


class Optimum(Result):
    """What ``m.optimise`` found.

    ``status``, ``success``, ``message``; ``value`` and ``start_value`` of the cost; ``x`` (what was changed) and
    ``params`` (all parameters); ``costs``; ``events`` (their names); ``borders`` of the sequence of events that were
    seen; ``optima``, one for each start or sequence; ``iterations``, ``runs``, ``gradients``, ``violation``, ``kkt``.
    """


class Fit(Result):
    """What ``m.fit`` found.

    ``status``, ``success``, ``message``, ``params``; ``estimates`` (a DataFrame: value, standard deviation, interval),
    ``correlation``, ``rss``, ``variance``, ``freedom``, ``residuals``, ``predicted``; ``unidentified`` combinations
    of parameters, or None; ``iterations``, ``runs``, ``gradients``.
    """


class Periodic(Result):
    """What ``m.periodic`` found.

    ``status``, ``success``, ``message``, ``params``, ``period``, ``residual``, ``unknowns`` (names); ``multipliers``
    (complex, the largest first), ``stable``; ``costs``, ``map`` (the derivative of the return map); derivatives by
    the other parameters: ``gradient`` of the unknowns, ``cost_gradient``, ``period_gradient``, ``re_gradient`` and
    ``im_gradient`` of the multipliers; ``iterations``, ``runs``, ``gradients``.
    """


class Equilibrium(Result):
    """What ``m.equilibrium`` found.

    ``status``, ``success``, ``message``, ``mode``, ``t``; ``position``, ``acceleration``, ``multipliers`` (forces);
    ``eigenvalues`` of small motions about it, ``stable`` (None if linearisation does not tell); the derivatives
    ``gradient``, ``re_gradient`` and ``im_gradient``; ``iterations``.
    """


def limits_of(subject_to, system):
    """Limits on costs as (cost, lower, upper)."""
    if not isinstance(subject_to, Mapping):
        raise ArgumentError("subject_to is a dictionary, as in {\"peak\": (None, 250), \"x_end\": 1}, not "
                            f"{subject_to!r}")
    for cost, limit in subject_to.items():
        system.find([cost], system.costs, "cost")
        pair = tuple(limit) if isinstance(limit, (tuple, list)) else (limit, limit)
        if len(pair) != 2 or not all(isinstance(p, (Real, type(None))) for p in pair):
            raise ArgumentError(f"the limit of cost {cost!r} is {limit!r}: write (lower, upper), with None where there "
                                "is none, or one number that it must have")
        yield cost, -math.inf if pair[0] is None else float(pair[0]), math.inf if pair[1] is None else float(pair[1])


class Answers:
    """The part of :class:`saltus.Model` that searches."""

    def optimise(self, minimise=None, over=None, *, subject_to=None, starts=0, sequences=None, shooting=0,
                 engine=None, start=None,
                 tolerance=None, max_iterations=None, seed=None, progress=None, threads=None, **values):
        """Minimises a cost over parameters within their bounds, and sees where the sequence of events changes.

        ``over``: names or patterns, all free parameters without it. ``subject_to``: limits on other costs,
        ``{"peak": (None, 250), "x_end": 1}``. ``sequences``: "keep", "free" or "search". ``shooting``: in how
        many intervals motions are cut (multiple shooting). ``engine``: "sqp", "nlopt" or "ipopt". Without
        arguments the goal of the model is taken (``optimise {...}`` in a script, ``m.goal(...)``). The result is an
        :class:`Optimum`.

        >>> best = saltus.example("five_bar").optimise("int_dev2_point2", over="L01,L02")
        >>> print(best.status, round(best.start_value, 4), round(best.value, 4))
        converged 0.1023 0.0539
        """
        system = self._system()
        error = Error(system.place)
        vector = self._vector(start, values)
        goal, kept = self._goal(system, minimise, over, subject_to, starts, sequences)
        if shooting:
            goal.shooting = shooting
        if engine is not None:
            if engine not in ENGINES:
                raise ArgumentError(f"engine={engine!r}: there are 'sqp', 'nlopt' and 'ipopt'")
            goal.engine = ENGINES[engine]
        options = ffi.new("saltus_optimise_options *", lib.saltus_optimise_options_default())
        for key, value in (("tolerance", tolerance), ("max_iterations", max_iterations), ("seed", seed)):
            if value is not None:
                setattr(options, key, value)
        history = []
        show = self._follow(system, history, progress)
        options.progress = show
        run_options = ffi.new("saltus_options *", self._raw_options[0])
        if threads:
            run_options.threads = threads
        raw = lib.saltus_optimise(system.raw, run_options, goal, pointer(vector), options, error.raw)
        error.check()
        raw = ffi.gc(raw, lib.saltus_optimum_free)
        del kept, show
        return self._optimum(system, raw, history)

    def _goal(self, system, minimise, over, subject_to, starts, sequences):
        """A saltus_goal, made of that of the model and of what is given here."""
        goal = ffi.new("saltus_goal *", lib.saltus_system_goal(system.raw))
        kept = []
        if minimise is None and not goal.minimise:
            if len(system.costs) != 1:
                raise ArgumentError(f"minimise which cost? There are {', '.join(system.costs)}")
            minimise = system.costs[0]
        if minimise is not None:
            system.find([minimise], system.costs, "cost")
            kept.append(ffi.new("char[]", minimise.encode()))
            goal.minimise = kept[-1]
        if over is not None:
            listed = [system.params[i] for i in system.find(over, system.params, "parameter")]
            pointers, names = texts(listed)
            kept += [pointers, names]  # reading goal.over again would not keep them
            goal.over, goal.over_count = pointers, len(listed)
        if subject_to is not None:
            limits = []
            for cost, low, high in limits_of(subject_to, system):
                kept.append(ffi.new("char[]", cost.encode()))
                limits.append({"cost": kept[-1], "lower": low, "upper": high})
            goal.limits = made = ffi.new("saltus_limit[]", limits)
            kept.append(made)
            goal.limit_count = len(limits)
        if starts:
            goal.starts = starts
        if sequences is not None:
            if sequences not in SEQUENCES:
                raise ArgumentError(f"sequences={sequences!r}: there are 'keep', 'free' and 'search'")
            goal.sequences = SEQUENCES[sequences]
        return goal, kept

    @staticmethod
    def _follow(system, history, progress):
        def show(_context, p):
            row = {"start": p.start, "iteration": p.iteration, "value": p.value, "violation": p.violation,
                   "kkt": p.kkt}
            history.append(row)
            if progress is None:
                return 0
            return 1 if progress({**row, "params": name(copy(p.params, len(system.params)), system.params)}) else 0
        return guarded("int(void *, const saltus_optimise_progress *)", show)

    def _optimum(self, system, raw, history):
        info = lib.saltus_optimum_get_info(raw)
        status = text(lib.saltus_optimum_status_name(info.status))
        vector = copy(lib.saltus_optimum_params(raw), len(system.params))
        found = [i for i in range(len(system.params)) if lib.saltus_optimum_is_over(raw, i)]
        borders = []
        for i in range(info.borders):
            b = lib.saltus_optimum_border(raw, i)
            borders.append({"kind": text(b.kind), "first": text(b.first), "second": text(b.second),
                            "distance": b.distance, "multiplier": b.multiplier})
        optima = []
        for i in range(info.optima):
            r = lib.saltus_optimum_get_row(raw, i)
            optima.append({"status": text(lib.saltus_optimum_status_name(r.status)), "value": r.value,
                           "params": name(copy(r.params, len(system.params)), system.params),
                           "events": [system.events[r.event[k]] for k in range(r.events)]})
        return Optimum(
            status=status, success=status in ("converged", "kink", "border"), message=in_python(text(info.message)),
            value=info.value, start_value=info.start_value,
            x=name(vector[found], tuple(system.params[i] for i in found)),
            params=name(vector, system.params),
            costs=name(copy(lib.saltus_optimum_costs(raw), len(system.costs)), system.costs),
            events=[text(lib.saltus_optimum_event(raw, i)) for i in range(info.events)],
            borders=borders, optima=optima, iterations=info.iterations, runs=info.runs,
            gradients=info.gradients, violation=info.violation, kkt=info.kkt, _history=history, _model=self)

    def fit(self, wrt=None, *, level=0.95, profile=False, start=None, **values):
        """Finds parameters that explain the measurements of the model (``measurement``).

        The result has ``params``, ``estimates`` (a DataFrame: value, standard deviation, interval),
        ``correlation``, ``rss``, ``residuals``, ``predicted``; with ``profile=True``, intervals by profiles.
        """
        import pandas as pd
        system = self._system()
        error = Error(system.place)
        vector, request = self._vector(start, values), system.request((), wrt)
        raw = lib.saltus_fit_new(system.model, self._raw_options, request.raw.params, request.raw.param_count, level,
                                 error.raw)
        error.check()
        raw = ffi.gc(raw, lib.saltus_fit_free)
        lib.saltus_fit_find(raw, pointer(vector), error.raw)
        error.check()
        r = lib.saltus_fit_get_result(raw)
        n, end = r.estimates, ENDS["fit_end"][r.end]
        if not r.param:
            raise ArgumentError(f"the fit has no start: {text(r.message)}")
        names = tuple(system.params[r.param[i]] for i in range(n))
        params = copy(r.params, len(system.params))
        columns = {"value": params[[r.param[i] for i in range(n)]], "sd": copy(r.sd, n),
                   "lower": copy(r.lower, n), "upper": copy(r.upper, n)}
        if profile:
            intervals = []
            for i in range(n):
                found = ffi.new("saltus_fit_profile_interval *")
                lib.saltus_fit_profile(raw, i, found, error.raw)
                error.check()
                intervals.append((found.lower, found.upper))
            columns["profile_lower"], columns["profile_upper"] = np.array(intervals).T
        combinations = copy(r.combination, r.unidentified, n) if r.unidentified else None
        return Fit(
            status=end, success=end == "converged", message=in_python(text(r.message)), params=name(params, system.params),
            estimates=pd.DataFrame({k: v for k, v in columns.items() if v is not None}, index=list(names)),
            correlation=None if not r.correlation else name(copy(r.correlation, n, n), names, names),
            rss=r.rss, variance=r.variance, freedom=r.freedom, residuals=copy(r.residual, r.residuals),
            predicted=copy(r.predicted, r.residuals), unidentified=combinations, iterations=r.iterations,
            runs=r.runs, gradients=r.gradients)

    def periodic(self, *, start=None, **values):
        """Finds a motion that repeats itself (``periodic {...}`` in a script, ``m.repeats``).

        The result has ``params``, ``period``, ``multipliers`` (complex, the largest first), ``stable``, ``costs``,
        and derivatives of all of these by the other parameters.
        """
        if isinstance(start, Mapping) and any(not isinstance(k, str) for k in start):
            raise ArgumentError("m.periodic() searches; the statement of a model is m.repeats({x0: x})")
        vector = self._vector(start, values)
        raw, system = self._periodic()
        error = Error(system.place)
        lib.saltus_periodic_find(raw, pointer(vector), error.raw)
        error.check()
        return self._periodic_result(system, lib.saltus_periodic_get_result(raw))

    def _periodic(self):
        system = self._system()
        error = Error(system.place)
        raw = lib.saltus_periodic_new(system.model, self._raw_options, ffi.NULL, error.raw)
        error.check()
        return ffi.gc(raw, lib.saltus_periodic_free), system

    @staticmethod
    def _periodic_result(system, r):
        end, n, by = ENDS["periodic_end"][r.end], r.unknowns, r.params_by
        params_by = tuple(system.params[r.by[i]] for i in range(by)) if r.by else ()
        unknown = tuple(system.params[r.unknown[i]] for i in range(n)) if r.unknown else ()
        re, im = copy(r.re, n), copy(r.im, n)
        multipliers = None if re is None else re + 1j * im

        def table(values, rows):
            return None if not values else name(copy(values, len(rows), by), rows, params_by)

        numbers = tuple(str(i) for i in range(n))
        return Periodic(
            status=end, success=end == "found", message=in_python(text(r.message)),
            params=name(copy(r.params, len(system.params)), system.params) if r.params else None, period=r.period,
            residual=r.residual, unknowns=unknown, multipliers=multipliers,
            stable=None if multipliers is None else bool((abs(multipliers) < 1).all()),
            costs=name(copy(r.cost, r.costs), system.costs) if r.cost else None,
            map=name(copy(r.map, n, n), unknown, unknown) if r.map else None,
            gradient=table(r.gradient, unknown), cost_gradient=table(r.cost_gradient, system.costs),
            period_gradient=name(copy(r.period_gradient, by), params_by) if r.period_gradient else None,
            re_gradient=table(r.re_gradient, numbers), im_gradient=table(r.im_gradient, numbers),
            iterations=r.iterations, runs=r.runs, gradients=r.gradients)

    def follow(self, param, from_, to, step, *, start=None, **values):
        """Follows the periodic motion while a parameter changes; a DataFrame of its points, with folds, flips and
        grazing named."""
        import pandas as pd
        vector = self._vector(start, values)
        raw, system = self._periodic()
        error, rows = Error(system.place), []
        index = system.find([param], system.params, "parameter")[0]

        def visit(_context, p):
            multipliers = copy(p.re, p.multipliers) + 1j * copy(p.im, p.multipliers)
            rows.append({"arc": p.arc, "kind": text(lib.saltus_family_kind_name(p.kind)), "what": text(p.text),
                         "period": p.period, "stable": bool(p.stable), "multipliers": multipliers,
                         **dict(zip(system.params, copy(p.params, len(system.params)).tolist()))})
            return 0

        lib.saltus_periodic_follow(raw, pointer(vector), index, from_, to, step,
                                   guarded("saltus_family_function", visit), ffi.NULL, ffi.NULL, error.raw)
        error.check()
        if not rows:
            raise ArgumentError(f"no periodic motion to follow: "
                                f"{text(lib.saltus_periodic_get_result(raw).message)}")
        return pd.DataFrame(rows).sort_values("arc", ignore_index=True)

    def equilibrium(self, wrt=None, *, start=None, **values):
        """Finds a state of rest: ``position``, ``multipliers`` (forces), ``eigenvalues`` of small motions about it,
        ``stable`` (None if linearisation does not tell), and the derivatives of positions and eigenvalues.

        >>> m = saltus.loads('local x = coordinate("x", {start = 1}) mass(x, 1) force(x, 3 - x - dot(x)) horizon(0, 1)')
        >>> rest = m.equilibrium()
        >>> print(rest.position["x"].round(9), rest.stable)
        3.0 True
        """
        system = self._system()
        error = Error(system.place)
        vector, request = self._vector(start, values), system.request((), wrt)
        raw = lib.saltus_equilibrium_new(system.raw, self._raw_options, request.raw.params, request.raw.param_count,
                                         error.raw)
        error.check()
        raw = ffi.gc(raw, lib.saltus_equilibrium_free)
        lib.saltus_equilibrium_find(raw, pointer(vector), error.raw)
        error.check()
        r = lib.saltus_equilibrium_get_result(raw)
        end, k = ENDS["equilibrium_end"][r.end], r.eigenvalues
        numbers = tuple(str(i) for i in range(k))

        def named(values, *axes):
            return name(copy(values, *map(len, axes)), *axes) if values else None

        re, im = copy(r.re, k), copy(r.im, k)
        return Equilibrium(
            status=end, success=end == "found", message=in_python(text(r.message)), mode=text(r.mode), t=r.t,
            position=named(r.position, system.coordinates), acceleration=named(r.acceleration, system.coordinates),
            multipliers=named(r.multiplier, system.constraints), eigenvalues=None if re is None else re + 1j * im,
            stable={1: True, 0: False}.get(r.stable), gradient=named(r.gradient, system.coordinates, request.params),
            re_gradient=named(r.re_gradient, numbers, request.params),
            im_gradient=named(r.im_gradient, numbers, request.params), iterations=r.iterations)
