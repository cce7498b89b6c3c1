"""Motions as differentiable functions of JAX, where JAX is installed.

Debian has no package of JAX, so this module is not tested with it; ``saltus.torch`` is its tested sibling.
"""
import numpy as np

from .errors import SaltusError

__all__ = ["simulate"]

try:
    import jax
    import jax.numpy as jnp
except ImportError as failure:
    raise ImportError("saltus.jax needs JAX, which is not installed; saltus.torch needs PyTorch") from failure


def simulate(model, *, wrt=None, costs=None, method="auto", threads=None):
    """A function from parameters (a vector with an entry for each of ``wrt``) to costs.

    It has a gradient (``jax.grad``, ``jax.jacrev``), and ``jax.jit`` and ``jax.vmap`` accept it. JAX must compute
    with 64 bits: ``jax.config.update("jax_enable_x64", True)``.
    """
    request = model._system().request(costs, wrt, method)
    rows, columns = len(request.costs), len(request.params)

    def compute(params, gradients):
        params = np.asarray(params, dtype=float)
        flat = params.reshape(-1, columns)
        found = model.map(flat, wrt=wrt, costs=costs, gradients=gradients, method=method, threads=threads)
        if not found.ok.all():
            raise SaltusError(f"no costs at {flat[int(np.argmin(found.ok))]}: {found.outcome[int(np.argmin(found.ok))]}")
        value = found.costs.reshape(*params.shape[:-1], rows)
        return (value, found.gradients.reshape(*params.shape[:-1], rows, columns)) if gradients else value

    @jax.custom_vjp
    def costs_of(params):
        shape = jax.ShapeDtypeStruct((rows,), jnp.float64)
        return jax.pure_callback(lambda p: compute(p, False), shape, params, vectorized=True)

    def forward(params):
        shapes = (jax.ShapeDtypeStruct((rows,), jnp.float64), jax.ShapeDtypeStruct((rows, columns), jnp.float64))
        return jax.pure_callback(lambda p: compute(p, True), shapes, params, vectorized=True)

    def backward(jacobian, weights):
        return (weights @ jacobian,)

    costs_of.defvjp(forward, backward)
    return costs_of
