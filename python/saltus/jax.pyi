from collections.abc import Callable, Sequence
from typing import Any

from .model import Model

def simulate(model: Model, *, wrt: str | Sequence[str] | None = None, costs: str | Sequence[str] | None = None,
             method: str = "auto", threads: int | None = None) -> Callable[[Any], Any]: ...
