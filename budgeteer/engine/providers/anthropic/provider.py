"""The row of Anthropic Messages."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.anthropic.capabilities import CAPABILITIES
from budgeteer.engine.providers.anthropic.overhead import OVERHEAD
from budgeteer.engine.providers.anthropic.pictures import anthropic_image_tokens
from budgeteer.engine.providers.anthropic.render import anthropic_request
from budgeteer.engine.providers.anthropic.rules import ANTHROPIC_RULES
from budgeteer.engine.providers.anthropic.tools import ANTHROPIC_TOOLS
from budgeteer.engine.providers.base import Provider

ANTHROPIC: Final = Provider(
    name="anthropic",
    title="Anthropic Messages",
    family="anthropic",
    column_prefix="anthropic",
    request_keys=("system", "messages", "tools"),
    plain_as="openai-chat",
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=anthropic_image_tokens,
    tools=ANTHROPIC_TOOLS,
    render=anthropic_request,
    rules=ANTHROPIC_RULES,
)
