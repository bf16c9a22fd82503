"""Budgeteer: see and tune how the context window of an LLM application is spent. The public Python API is `api`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from budgeteer.api import *  # noqa: F403  # the names of budgeteer.api.__all__


def __getattr__(name: str) -> Any:
    """Load the public API on first use, so that starting the command line loads no engine."""
    api = importlib.import_module("budgeteer.api")
    if name in api.__all__:
        return getattr(api, name)
    raise AttributeError(f"module 'budgeteer' has no attribute {name!r}")
