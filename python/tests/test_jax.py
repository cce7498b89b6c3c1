"""Motions as functions of JAX. JAX itself is not there: a stand-in calls the wrapper as JAX would."""
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import MODELS

import saltus

sys.path.insert(0, str(Path(__file__).parent / "stand_in"))
import jax_stand_in  # noqa: E402


@pytest.fixture(params=[jax_stand_in.pure_callback, jax_stand_in.earlier_pure_callback])
def jax(request, monkeypatch):
    yield jax_stand_in.install(monkeypatch, request.param)
    sys.modules.pop("saltus.jax", None)  # it was made for the stand-in
    vars(saltus).pop("jax", None)


def falls(g, e, h, t=1.0):
    """The height of a ball dropped from h after one bounce, and its derivatives, written out."""
    hit, down = np.sqrt(2 * h / g), np.sqrt(2 * g * h)
    rest = t - hit
    by_hit = -e * down + g * rest
    return (e * down * rest - g * rest**2 / 2,
            [e * h / down * rest - rest**2 / 2 - by_hit * hit / (2 * g), down * rest,
             e * g / down * rest + by_hit * hit / (2 * h)])


@pytest.fixture
def drop():
    m = saltus.Model("drop")
    g, e, h = m.param("g", 9.81), m.param("e", 0.8), m.param("h", 1.0)
    y = m.coordinate("y", start=h)
    m.mass(y, 1)
    m.force(y, -g)
    m.event("floor", when=y, direction="falling", restitution=e)
    m.cost("height", final=y)
    m.cost("twice", final=2 * y)
    m.horizon(0, 1)
    return m


def test_gradients_through_an_impact_are_those_of_the_closed_form(jax, drop):
    f = saltus.jax.simulate(drop)
    at = [9.7, 0.75, 1.1]
    height, slopes = falls(*at)
    value, pull = jax.vjp(f, at)
    assert np.allclose(value, [height, 2 * height], atol=1e-10) and np.allclose(f(at), value, atol=1e-12)
    assert np.allclose(pull(np.array([1.0, 0.0])), slopes, atol=1e-8)
    assert np.allclose(pull(np.array([0.5, 3.0])), 6.5 * np.array(slopes), atol=1e-7)


def test_batches(jax, drop):
    f = saltus.jax.simulate(drop, wrt="e,h", costs="height")
    points = np.array([[0.7, 1.0], [0.75, 1.1], [0.8, 1.2]])
    expected = np.array([falls(9.81, *p)[0] for p in points])
    assert np.allclose(jax.vmap(f)(points)[:, 0], expected, atol=1e-10)
    value, pull = jax.vjp(f, points.reshape(3, 1, 2))
    assert value.shape == (3, 1, 1) and np.allclose(value[:, 0, 0], expected, atol=1e-10)
    slopes = pull(np.ones((3, 1, 1)))
    assert np.allclose(slopes[:, 0], [falls(9.81, *p)[1][1:] for p in points], atol=1e-8)


def test_mistakes(jax, drop):
    f = saltus.jax.simulate(drop)
    with pytest.raises(saltus.ArgumentError, match="3 columns, g, e, h; its shape is .2,."):
        f([1.0, 2.0])
    with pytest.warns(saltus.SaltusWarning, match="1 of 2 points have no costs; .*'g' is nan"):
        value = f([[9.81, 0.8, 1.0], [np.nan, 0.8, 1.0]])
    assert np.isnan(value[1]).all() and np.isfinite(value[0]).all()
    jax.config.jax_enable_x64 = False
    with pytest.raises(saltus.ArgumentError, match="32 bits"):
        f([9.81, 0.8, 1.0])
    with pytest.raises(saltus.ArgumentError, match="did you mean 'height'"):
        saltus.jax.simulate(drop, costs="heigt")


def test_without_jax_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.delitem(sys.modules, "saltus.jax", raising=False)
    with pytest.raises(ImportError, match="needs JAX"):
        saltus.jax.simulate(saltus.load(MODELS / "bouncing_ball.lua"))
