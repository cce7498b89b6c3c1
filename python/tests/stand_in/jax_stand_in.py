"""A stand-in for the few functions of JAX that saltus.jax calls, for machines that do not have JAX.

It has their arguments and what they promise: results of callbacks have the shapes and types that were announced,
callbacks get whole batches from ``vmap`` and no arguments but those given, and derivatives of a function are those of
its ``defvjp``. It does not trace and does not compile.
"""
import sys
import types

import numpy as np

_tape = None  # of (backward, residuals), while vjp listens
_batch = None  # how many points vmap has


class ShapeDtypeStruct:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)


class Batched:
    """What a function sees inside of vmap: one of many points."""

    def __init__(self, value):
        self.value, self.shape, self.dtype = value, value.shape[1:], value.dtype


class custom_vjp:
    def __init__(self, function):
        self.function = function

    def defvjp(self, forward, backward):
        self.forward, self.backward = forward, backward

    def __call__(self, params):
        if _tape is None:
            return self.function(params)
        value, residuals = self.forward(params)
        _tape.append((self.backward, residuals, params))
        return value


def call_back(callback, announced, params, kwargs):
    given = params.value if isinstance(params, Batched) else np.asarray(params)
    given.flags.writeable = False
    found = callback(given, **kwargs)
    several = isinstance(announced, tuple)
    for one, says in zip(found if several else (found,), announced if several else (announced,)):
        expected = says.shape if _batch is None else (_batch, *says.shape)
        if not isinstance(one, np.ndarray) or one.shape != expected or one.dtype != says.dtype:
            raise TypeError(f"the callback returned {one!r} instead of {expected}, {says.dtype}")
    return found


def pure_callback(callback, result_shape_dtypes, *args, sharding=None, vmap_method=None, **kwargs):
    if _batch is not None and vmap_method not in ("expand_dims", "broadcast_all"):
        raise NotImplementedError(f"vmap of a callback with vmap_method={vmap_method!r}")
    return call_back(callback, result_shape_dtypes, *args, kwargs)


def earlier_pure_callback(callback, result_shape_dtypes, *args, sharding=None, vectorized=False, **kwargs):
    """As it was before JAX 0.4.34."""
    if _batch is not None and not vectorized:
        raise NotImplementedError("vmap of a callback that is not vectorized")
    return call_back(callback, result_shape_dtypes, *args, kwargs)


def vjp(function, params):
    """The value, and a function from weights to derivatives."""
    global _tape
    _tape = []
    try:
        value, tape = function(params), _tape
    finally:
        _tape = None
    (backward, residuals, at), = tape

    def pull(weights):
        by, = backward(residuals, weights)
        assert by.shape == at.shape and by.dtype == at.dtype
        return by
    return value, pull


def vmap(function):
    def mapped(points):
        global _batch
        _batch = len(points)
        try:
            return function(Batched(np.array(points)))
        finally:
            _batch = None
    return mapped


def asarray(given, dtype=None):
    return given if isinstance(given, Batched) else np.array(given, dtype=dtype)


def install(monkeypatch, callback=pure_callback):
    """Makes ``import jax`` find this, until the test is over."""
    jax, jnp = types.ModuleType("jax"), types.ModuleType("jax.numpy")
    jnp.float64, jnp.einsum, jnp.asarray = np.float64, np.einsum, asarray
    jax.numpy, jax.config = jnp, types.SimpleNamespace(jax_enable_x64=True)
    jax.custom_vjp, jax.ShapeDtypeStruct, jax.pure_callback, jax.vjp, jax.vmap = (custom_vjp, ShapeDtypeStruct, callback,
                                                                                 vjp, vmap)
    for name, module in (("jax", jax), ("jax.numpy", jnp)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "saltus.jax", raising=False)
    return jax
