"""Budgeteer: see and tune how the context window of an LLM application is spent. The public Python API is `api`."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from budgeteer.api import *  # noqa: F403  # the names of budgeteer.api.__all__


def __getattr__(name: str) -> Any:
    """Load the public API on first use of one of its names, and no engine for a module that is asked for.

    Django's logging settings name their classes by path, and ask the package for each part of it.
    """
    if not name.startswith("_") and importlib.util.find_spec(f"{__name__}.{name}") is None:
        api = importlib.import_module("budgeteer.api")
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module 'budgeteer' has no attribute {name!r}")
