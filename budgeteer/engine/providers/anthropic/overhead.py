"""What a request of Anthropic's costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import STAND_IN, Charge, ProviderOverhead

OVERHEAD: Final = ProviderOverhead(
    message=Charge(3, STAND_IN),
    speaker=None,
    reply=Charge(3, STAND_IN),
    tools=Charge(
        346,
        "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview, Pricing: system prompt for tools, "
        "tool_choice auto, Claude 4; checked 2026-11-21",
        published=True,
    ),
)
