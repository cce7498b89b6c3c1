"""Motions as functions of PyTorch: derivatives through impacts, twice, and in batches."""
import numpy as np
import pytest
from conftest import need

import saltus

torch = need("torch")
import saltus.torch  # noqa: E402


@pytest.fixture
def points(ball):
    start = np.asarray(ball.start)
    return torch.tensor(np.array([start, start * 1.02]), dtype=torch.float64, requires_grad=True)


def test_gradients_through_impacts_agree_with_differences(ball, points):
    assert len(ball().events) >= 3
    assert torch.autograd.gradcheck(lambda p: saltus.torch.simulate(ball, p), (points,), eps=1e-6, atol=1e-6, rtol=1e-6)


def test_second_derivatives_agree_with_differences_of_gradients(ball, points):
    def costs(p):
        return saltus.torch.simulate(ball, p, costs="y_tF,int_y2")
    assert torch.autograd.gradgradcheck(costs, (points,), eps=1e-5, atol=1e-6, rtol=1e-5)


def test_batches_of_any_shape(ball):
    start = torch.tensor(np.asarray(ball.start), dtype=torch.float64)
    batch = start.expand(2, 3, 4).clone().requires_grad_()
    costs = saltus.torch.simulate(ball, batch, costs="y_tF")
    assert costs.shape == (2, 3, 1)
    costs.sum().backward()
    assert torch.allclose(batch.grad, torch.from_numpy(np.array(ball().gradient["y_tF"])).expand(2, 3, 4))
    assert saltus.torch.simulate(ball, start).shape == (7,)


def test_a_layer_learns_the_restitution(ball):
    """From the height at the end back to e, by Newton's steps on one number."""
    target = float(ball(e=0.75).costs["y_tF"])
    e = torch.tensor([0.76], dtype=torch.float64, requires_grad=True)
    layer = saltus.torch.Simulation(ball, wrt="e", costs="y_tF")
    for _ in range(8):
        height = layer(e)
        slope, = torch.autograd.grad(height.sum(), e)
        with torch.no_grad():
            e -= (height - target) / slope
    assert abs(float(e) - 0.75) < 1e-9


def test_other_precision_and_no_gradient(ball):
    single = torch.tensor(np.asarray(ball.start), dtype=torch.float32)
    assert saltus.torch.simulate(ball, single).dtype == torch.float32
    with pytest.raises(saltus.ArgumentError, match="columns, g, e, h0, v0"):
        saltus.torch.simulate(ball, torch.zeros(3))


def test_whole_numbers_are_refused(ball):
    """Costs would be cut to whole numbers, too."""
    with pytest.raises(saltus.ArgumentError, match="floating-point type"):
        saltus.torch.simulate(ball, torch.tensor([10, 1, 1, 0]))


def test_a_point_without_a_motion_says_why(ball):
    bad = torch.tensor([float("nan"), 0.8, 1.0, 0.5], dtype=torch.float64, requires_grad=True)
    with pytest.raises(saltus.ArgumentError, match="'g' is nan"):
        saltus.torch.simulate(ball, bad)
