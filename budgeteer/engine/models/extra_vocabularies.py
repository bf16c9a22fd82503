"""The extra of the package that holds vocabularies which other makers than OpenAI published."""

from __future__ import annotations

import importlib.util
from typing import Final

EXTRA: Final = "vocabularies"
"""Its name: `pip install 'budgeteer[vocabularies]'`."""

_PACKAGE: Final = "splintr"


def vocabularies_installed() -> bool:
    """Whether the extra is installed; nothing of it is imported."""
    return importlib.util.find_spec(_PACKAGE) is not None
