"""What a call from Python takes beyond the same calls of the C library, and how fast a table of points is.

    PYTHONPATH=build/python python3 bench/python.py [--quick]

Both are measured in turns, and the shortest of each is taken, so that other work on the machine matters less.
"""
import os
import sys
import time

import numpy as np

import saltus
from saltus._library import ffi, lib

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")


def in_turns(functions, rounds):
    """The shortest time of each, in microseconds."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds // 20):
        for i, function in enumerate(functions):
            for _ in range(20):
                began = time.perf_counter()
                function()
                best[i] = min(best[i], time.perf_counter() - began)
    return [b * 1e6 for b in best]


def overhead(name, cost, rounds):
    m = saltus.load(os.path.join(MODELS, name), options={"backend": "native"})
    start, system = m.start, m._system()
    request = system.request((cost,))
    m.value_and_gradient(start, cost)  # compiles
    options, error = ffi.new("saltus_options *", m._raw_options[0]), ffi.new("saltus_error *")
    options.progress = ffi.NULL  # as in a program that is not asked whether to go on
    raw = lib.saltus_run_new(system.raw, options, error)
    params = ffi.new("double[]", system.defaults.tolist())
    costs, gradient = ffi.new("double[]", len(system.costs)), ffi.new("double[]", len(request.params))
    first = m.free[0]
    value = float(start[0])

    def library():
        lib.saltus_run_simulate(raw, params, error)
        lib.saltus_run_costs(raw, costs, error)
        lib.saltus_run_gradients(raw, request.raw, gradient, ffi.NULL, ffi.NULL, error)

    def function():
        m.value_and_gradient(start, cost)

    def run():
        found = m(**{first: value})
        return found.costs[cost], found.gradients(costs=(cost,))

    plain, one, other = in_turns((library, function, run), rounds)
    print(f"{name:20} library {plain:7.1f} us   value_and_gradient +{one - plain:4.1f} us   m(...) +{other - plain:4.1f} us")


def throughput(name, cost, count):
    m = saltus.load(os.path.join(MODELS, name), options={"backend": "native"})
    points = m.start * (1 + 1e-4 * np.random.default_rng(1).standard_normal((count, len(m.free))))
    m.map(points[:10], costs=cost, gradients=True)
    for threads in (1, os.cpu_count()):
        began, busy = time.perf_counter(), time.process_time()
        found = m.map(points, costs=cost, gradients=True, threads=threads)
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        print(f"{name:20} {count} gradients, {threads} threads: {count / seconds:6.0f} per second, "
              f"{busy / count * 1e6:5.0f} us of a processor each, {int(found.ok.sum())} computed")


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    overhead("bouncing_ball.lua", "y_tF", 300 if quick else 5000)
    overhead("five_bar.lua", "int_yd2", 100 if quick else 3000)
    throughput("five_bar.lua", "int_yd2", 500 if quick else 10000)
