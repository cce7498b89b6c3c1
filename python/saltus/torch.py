"""Motions as differentiable functions of PyTorch.

    >>> import torch, saltus.torch
    >>> m = saltus.example("bouncing_ball")
    >>> e = torch.tensor([[0.7], [0.8]], dtype=torch.float64, requires_grad=True)
    >>> costs = saltus.torch.simulate(m, e, wrt="e", costs="y_tF")
    >>> costs.sum().backward()
    >>> e.grad.shape
    torch.Size([2, 1])
"""
import numpy as np
import torch

from .errors import ArgumentError, GradientError, SaltusError

__all__ = ["Simulation", "simulate"]


def simulate(model, params, *, wrt=None, costs=None, method="auto", threads=None):
    """The costs of the model at these parameters, as a tensor that can be differentiated, twice.

    ``params`` has a column for each free parameter (or each of ``wrt``): a vector, or a batch with any number of
    dimensions before the last. The result has a column for each cost. Events may happen on the way: derivatives
    contain how their times move. A motion without an end or without a gradient is an error.
    """
    if not isinstance(params, torch.Tensor):
        raise ArgumentError(f"params must be a tensor, not {type(params).__name__}")
    if not params.is_floating_point():
        raise ArgumentError(f"params must have a floating-point type, such as torch.float64; it has {params.dtype}")
    asked = _Asked(model, wrt, costs, method, threads)
    if params.shape[-1:] != (len(asked.request.params),):
        raise ArgumentError(f"params needs {len(asked.request.params)} columns, {', '.join(asked.request.params)}; its "
                            f"shape is {tuple(params.shape)}")
    flat = params.reshape(-1, params.shape[-1])
    return _Costs.apply(flat, asked).reshape(*params.shape[:-1], len(asked.request.costs))


class Simulation(torch.nn.Module):
    """A layer: parameters in, costs out. The arguments are those of :func:`simulate`."""

    def __init__(self, model, **arguments):
        super().__init__()
        self.model, self.arguments = model, arguments

    def forward(self, params):
        return simulate(self.model, params, **self.arguments)


class _Asked:
    """What is computed, and how."""

    def __init__(self, model, wrt, costs, method, threads):
        self.model, self.wrt, self.costs, self.method, self.threads = model, wrt, costs, method, threads
        self.request = model._system().request(costs, wrt, method)

    def compute(self, params, gradients):
        points = params.detach().cpu().double().numpy()
        found = self.model.map(points, wrt=self.wrt, costs=self.costs, gradients=gradients, method=self.method,
                               threads=self.threads)
        if not found.ok.all():
            self.explain(points[int(np.argmin(found.ok))], gradients)
        return found

    def explain(self, point, gradients):
        """Simulates the point that failed alone, which raises its error."""
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = dict(zip(self.request.params, point.tolist()))
            run = self.model(values)
            if gradients:
                run.gradients(costs=self.costs, wrt=self.wrt, method=self.method)
        raise SaltusError(f"no costs at {values}: {run.message}", "ERR_UNFINISHED")

    def hessian_products(self, params, weights, directions):
        """Sum over costs of weight * second derivatives * direction, for each row."""
        out = np.zeros(params.shape)
        columns = self.request.columns
        for i, (point, w, v) in enumerate(zip(params, weights, directions)):
            if not (w.any() and v.any()):
                continue
            run = self.model(dict(zip(self.request.params, point.tolist())))
            product = run.hessian_product(dict(zip(self.request.params, v.tolist())), self.request.costs)
            out[i] = w @ np.asarray(product)[:, columns]
        return out


class _Costs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, params, asked):
        found = asked.compute(params, gradients=ctx.needs_input_grad[0])
        ctx.asked = asked
        ctx.jacobian = torch.from_numpy(found.gradients) if found.gradients is not None else None
        ctx.save_for_backward(params)
        return torch.from_numpy(found.costs).to(params)

    @staticmethod
    def backward(ctx, weights):
        params, = ctx.saved_tensors
        return _Gradient.apply(params, weights, ctx.jacobian, ctx.asked), None


class _Gradient(torch.autograd.Function):
    """weights times gradients, which can be differentiated once more, by both."""

    @staticmethod
    def forward(ctx, params, weights, jacobian, asked):
        ctx.asked, ctx.jacobian = asked, jacobian
        ctx.save_for_backward(params, weights)
        return torch.einsum("bc,bcp->bp", weights.detach().cpu().double(), jacobian).to(params)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, directions):
        params, weights = ctx.saved_tensors
        v = directions.detach().cpu().double()
        by_weights = torch.einsum("bcp,bp->bc", ctx.jacobian, v).to(weights)
        by_params = None
        if ctx.needs_input_grad[0]:
            try:
                products = ctx.asked.hessian_products(*(a.detach().cpu().double().numpy()
                                                        for a in (params, weights, directions)))
            except GradientError as failure:
                raise GradientError(f"no second derivative: {failure.message}", failure.status) from failure
            by_params = torch.from_numpy(products).to(params)
        return by_params, by_weights, None, None
