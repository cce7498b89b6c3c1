"""Runs: costs, gradients, events, motions, against closed forms and against the reference."""
import json

import numpy as np

import saltus
from conftest import ROOT


def closed_form(g, e, h, t=1.0):
    """The height of a ball dropped from h, after one bounce."""
    hit = np.sqrt(2 * h / g)
    up = e * np.sqrt(2 * g * h)
    return up * (t - hit) - g * (t - hit) ** 2 / 2


def make_ball():
    m = saltus.Model("ball")
    g, e, h = m.param("g", 9.81), m.param("e", 0.8), m.param("h", 1.0)
    y = m.coordinate("y", start=h)
    m.mass(y, 1)
    m.force(y, -g)
    m.event("floor", when=y, direction="falling", set={m.dot(y): -e * m.dot(y)})
    m.cost("height", final=y)
    m.horizon(0, 1)
    return m


def test_a_run_has_the_values_and_derivatives_of_the_closed_form():
    m = make_ball()
    run = m(e=0.7, h=1.1)
    p = np.array([9.81, 0.7, 1.1])
    assert run.outcome == "end" and run.t == 1.0
    assert abs(run.costs["height"] - closed_form(*p)) < 1e-12
    for i, name in enumerate(("g", "e", "h")):
        d = np.zeros(3)
        d[i] = 1e-6
        slope = (closed_form(*(p + d)) - closed_form(*(p - d))) / 2e-6
        assert abs(run.gradient["height", name] - slope) < 1e-7
    assert abs(run.events.t[0] - np.sqrt(2.2 / 9.81)) < 1e-12


def test_the_five_bar_has_its_reference_values(five_bar):
    """Values and gradients from elsewhere, in higher precision."""
    reference = json.loads((ROOT / "tests/reference/fivebar_5s.json").read_text())
    run = five_bar.run(reference["parameters"], until=reference["tF"])
    for cost in five_bar.costs:
        expected = reference["outputs"][cost]
        assert np.isclose(run.costs[cost], expected["value"], rtol=1e-6, atol=1e-7), cost
        for param, slope in expected["gradient"].items():
            assert np.isclose(run.gradient[cost, param], slope, rtol=1e-5, atol=1e-5), (cost, param)
    assert np.allclose(run.event_times, [e["time"] for e in reference["events"]], atol=1e-7)
    times = run.event_gradient()
    for param, slope in reference["outputs"]["t_event_3"]["gradient"].items():
        assert np.isclose(times["ground 3", param], slope, rtol=1e-5, atol=1e-6), param
