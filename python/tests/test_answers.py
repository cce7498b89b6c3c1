"""Searches of the library as methods, and the same with SciPy."""
import numpy as np
import pytest
from conftest import MODELS, need

import saltus


def throw():
    """A ball is thrown: how fast to hit a wall 2 m away at 1 m?"""
    m = saltus.Model("throw")
    vx, vy = m.param("vx", 3, lower=1, upper=8), m.param("vy", 3, lower=0, upper=9)
    P = m.point("P", x=0, y=0, speed=[vx, vy])
    m.mass(P, 1)
    m.gravity(0, -9.81)
    m.event("wall", when=P.x - 2, direction="rising", stop=True)
    m.cost("miss", final=(P.y - 1)**2)
    m.cost("effort", final=vx**2 + vy**2)
    m.horizon(0, 5)
    return m


def test_an_optimum_under_a_limit():
    """The slowest throw through (2, 1): v^2 = g (h + sqrt(h^2 + d^2))."""
    seen = []
    best = throw().optimise("effort", subject_to={"miss": (None, 1e-10)}, start={"vx": 4, "vy": 5},
                            progress=lambda p: seen.append(p["value"]))
    assert best.success and seen
    assert np.isclose(best.value, 9.81 * (1 + np.sqrt(5)), rtol=1e-4)
    assert best.events == ["wall"] and best.x.axes == (("vx", "vy"),)
    assert "value" in repr(best)


def test_a_search_can_be_stopped_by_its_progress():
    best = throw().optimise("effort", start={"vx": 4, "vy": 5}, progress=lambda p: True)
    assert best.status == "interrupted" and not best.success
    with pytest.raises(ZeroDivisionError):
        throw().optimise("effort", progress=lambda p: 1 / 0)


def test_goals_of_models_and_wrong_names():
    m = throw()
    with pytest.raises(saltus.ArgumentError, match="minimise which cost"):
        m.optimise()
    with pytest.raises(saltus.ArgumentError, match="did you mean 'effort'"):
        m.optimise("efort")
    with pytest.raises(saltus.ArgumentError, match="no parameter"):
        m.optimise("effort", over="vz")
    m.goal(minimise="effort", over=["vx"])
    found = m.optimise()
    assert found.x.axes == (("vx",),) and np.isclose(found.x["vx"], 1.0)


def test_names_live_as_long_as_the_search(monkeypatch):
    """The library reads them when it is called: what else is allocated until then must not take their place."""
    from saltus import answers
    m, taken = throw(), []
    goal = answers.Answers._goal

    def and_more(self, *arguments):
        made = goal(self, *arguments)
        taken.extend(answers.ffi.new("char[]", b"x" * n) for n in range(1, 64) for _ in range(50))
        return made
    monkeypatch.setattr(answers.Answers, "_goal", and_more)
    assert m.optimise("effort", over=["vx"], start={"vx": 4, "vy": 5}).x.axes == (("vx",),)


def test_scipy_minimises_with_our_gradients():
    optimize = need("scipy.optimize")
    from scipy.optimize import least_squares, minimize, root
    assert optimize
    m = throw()
    found = minimize(m.value_and_gradient, m.start, args=("miss",), jac=True, bounds=m.bounds)
    assert found.fun < 1e-8

    target = np.array([0.25, 30.0])
    found = least_squares(lambda x: m(x).costs - target, m.start, jac=lambda x: np.array(m(x).gradient))
    assert np.abs(found.fun).max() < 1e-8
    found = root(lambda x: m(vx=4, vy=x[0]).final["P.y"] - 1, [3.0])
    assert found.success and np.isclose(found.x[0], 2 + 9.81 / 4)


def test_a_fit_has_the_values_of_the_program():
    m = saltus.load(MODELS / "fit_bounce.lua")
    found = m.fit()
    assert found.success and list(found.estimates.index) == ["g", "e", "h"]
    assert abs(found.estimates.value["g"] - 9.81) < 4 * found.estimates.sd["g"]
    assert found.correlation["g", "g"] == pytest.approx(1)
    assert (found.estimates.lower < found.estimates.value).all()
    assert len(found.residuals) == len(found.predicted)
    wide = m.fit(profile=True, wrt="e")
    assert wide.estimates.profile_lower["e"] < wide.estimates.value["e"] < wide.estimates.profile_upper["e"]
    with pytest.raises(saltus.ModelError, match="measurement"):
        throw().fit()


def test_a_periodic_motion_and_its_family():
    m = saltus.load(MODELS / "simplest_walker.lua")
    found = m.periodic()
    assert found.success and found.multipliers.shape == (len(found.unknowns),)
    again = m(found.params.to_dict())
    assert np.isclose(again.t, found.period, rtol=1e-9)
    with pytest.raises(saltus.ModelError):
        throw().periodic()
    other = [p for p in m.free if p not in found.unknowns][0]
    at = found.params[other]
    family = m.follow(other, at, at * 1.05, abs(at) * 0.02)
    assert {"arc", "kind", "stable", other} <= set(family.columns) and len(family) >= 3


def test_a_state_of_rest():
    m = saltus.Model("hanging")
    k = m.param("k", 20)
    y = m.coordinate("y")
    m.mass(y, 2)
    m.force(y, -2 * 9.81 - k * y - 0.4 * m.dot(y))
    m.horizon(0, 1)
    rest = m.equilibrium()
    assert rest.success and rest.stable is True
    assert np.isclose(rest.position["y"], -2 * 9.81 / 20) and np.isclose(rest.gradient["y", "k"], 2 * 9.81 / 400)
    assert np.allclose(rest.eigenvalues[0], -0.1 + 1j * np.sqrt(10 - 0.01))
