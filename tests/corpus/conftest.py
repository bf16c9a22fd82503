"""The folder of real files; without `BUDGETEER_CORPUS` nothing here is collected (see tests/conftest.py)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder that `BUDGETEER_CORPUS` names."""
    return Path(os.environ["BUDGETEER_CORPUS"])
