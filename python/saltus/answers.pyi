from typing import Any

import numpy as np
import pandas as pd

from ._named import Named

class Result:
    status: str
    success: bool
    message: str
    iterations: int

class Optimum(Result):
    value: float
    start_value: float
    x: Named
    params: Named
    costs: Named
    events: list[str]
    borders: list[dict[str, Any]]
    optima: list[dict[str, Any]]
    runs: int
    gradients: int
    violation: float
    kkt: float

class Fit(Result):
    params: Named
    estimates: pd.DataFrame
    correlation: Named | None
    rss: float
    variance: float
    freedom: int
    residuals: np.ndarray
    predicted: np.ndarray
    unidentified: np.ndarray | None
    runs: int
    gradients: int

class Periodic(Result):
    params: Named
    period: float
    residual: float
    unknowns: tuple[str, ...]
    multipliers: np.ndarray
    stable: bool | None
    costs: Named
    map: Named
    gradient: Named
    cost_gradient: Named
    period_gradient: Named
    re_gradient: Named
    im_gradient: Named
    runs: int
    gradients: int

class Equilibrium(Result):
    mode: str
    t: float
    position: Named
    acceleration: Named
    multipliers: Named
    eigenvalues: np.ndarray
    stable: bool | None
    gradient: Named
    re_gradient: Named
    im_gradient: Named
