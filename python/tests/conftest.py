import importlib
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
sys.path.insert(0, str(ROOT / "python" / "tests"))


def need(module):
    """A module that may be missing; in CI nothing is skipped."""
    if os.environ.get("CI"):
        return importlib.import_module(module)
    return pytest.importorskip(module)


@pytest.fixture
def ball():
    import saltus
    return saltus.load(MODELS / "bouncing_ball.lua")


@pytest.fixture(scope="session")
def five_bar():
    import saltus
    return saltus.load(MODELS / "five_bar.lua")
