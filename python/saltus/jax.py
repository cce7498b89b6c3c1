"""Motions as differentiable functions of JAX, where JAX is installed.

Debian has no package of JAX. The tests run this module with a small stand-in for the four functions of JAX that it
calls, and have never seen JAX itself; ``saltus.torch`` is tested with PyTorch.
"""
import inspect
import warnings

import numpy as np

from .errors import ArgumentError, SaltusWarning

__all__ = ["simulate"]

try:
    import jax
    import jax.numpy as jnp
except ImportError as failure:
    raise ImportError("saltus.jax needs JAX, which is not installed; saltus.torch needs PyTorch") from failure

# How jax.vmap hands over a batch: all at once, its dimensions first. JAX before 0.4.34 called that otherwise.
_BATCHES = ({"vmap_method": "broadcast_all"} if "vmap_method" in inspect.signature(jax.pure_callback).parameters
            else {"vectorized": True})


def simulate(model, *, wrt=None, costs=None, method="auto", threads=None):
    """A function from parameters to costs: the last dimension has an entry for each free parameter (or each of
    ``wrt``), that of the result one for each cost.

    It has a gradient (``jax.grad``, ``jax.jacrev``), and ``jax.jit`` and ``jax.vmap`` accept it; second derivatives
    it has not. Where there is no motion, or no gradient of it, values are NaN, with a warning. JAX must compute with
    64 bits: ``jax.config.update("jax_enable_x64", True)``.
    """
    request = model._system().request(costs, wrt, method)
    rows, columns = len(request.costs), len(request.params)

    def compute(params, gradients):
        params = np.asarray(params, dtype=float)
        found = model.map(params.reshape(-1, columns), wrt=wrt, costs=costs, gradients=gradients, method=method,
                          threads=threads)
        if not found.ok.all():
            first = int(np.argmin(found.ok))
            warnings.warn(f"{int((~found.ok).sum())} of {len(found)} points have no costs; "
                          f"{dict(zip(request.params, found.points[first, request.columns].tolist()))}: "
                          f"{found.why(first)}", SaltusWarning, stacklevel=2)
        value = found.costs.reshape(*params.shape[:-1], rows)
        return (value, found.gradients.reshape(*params.shape[:-1], rows, columns)) if gradients else value

    def shape_of(params, *last):
        return jax.ShapeDtypeStruct((*params.shape[:-1], *last), jnp.float64)

    @jax.custom_vjp
    def costs_of(params):
        return jax.pure_callback(lambda p: compute(p, False), shape_of(params, rows), params, **_BATCHES)

    def forward(params):
        return jax.pure_callback(lambda p: compute(p, True), (shape_of(params, rows), shape_of(params, rows, columns)),
                                 params, **_BATCHES)

    def backward(jacobian, weights):
        return (jnp.einsum("...c,...cp->...p", weights, jacobian),)

    costs_of.defvjp(forward, backward)

    def function(params):
        if not jax.config.jax_enable_x64:
            raise ArgumentError("JAX computes with 32 bits: jax.config.update(\"jax_enable_x64\", True) first")
        params = jnp.asarray(params, dtype=jnp.float64)
        if params.shape[-1:] != (columns,):
            raise ArgumentError(f"params needs {columns} columns, {', '.join(request.params)}; its shape is "
                                f"{tuple(params.shape)}")
        return costs_of(params)

    return function
