from collections.abc import Sequence

import torch

from .model import Model

def simulate(model: Model, params: torch.Tensor, *, wrt: str | Sequence[str] | None = None,
             costs: str | Sequence[str] | None = None, method: str = "auto", threads: int | None = None) -> torch.Tensor: ...

class Simulation(torch.nn.Module):
    def __init__(self, model: Model, *, wrt: str | Sequence[str] | None = None, costs: str | Sequence[str] | None = None,
                 method: str = "auto", threads: int | None = None) -> None: ...
    def forward(self, params: torch.Tensor) -> torch.Tensor: ...
