"""Every provider, one row each. A name without a row is an error at import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from budgeteer.engine.providers.anthropic.provider import ANTHROPIC
from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.gemini.provider import GEMINI
from budgeteer.engine.providers.names import PROVIDER_NAMES
from budgeteer.engine.providers.openai_chat.provider import OPENAI_CHAT
from budgeteer.engine.providers.openai_responses.provider import OPENAI_RESPONSES

_ROWS: Final = {row.name: row for row in (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, GEMINI)}

PROVIDERS: Final[Mapping[str, Provider]] = {name: _ROWS[name] for name in PROVIDER_NAMES}

#: The provider in whose form items are counted where no model is named.
DEFAULT_PROVIDER: Final = "openai-chat"
