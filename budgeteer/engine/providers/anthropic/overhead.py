"""What a request of Anthropic's costs beside its texts."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from budgeteer.engine.providers.base import STAND_IN, Charge, ProviderOverhead

#: Growth of the recorded input of 687 requests of Claude 4.5 and 4.6: a call with one parameter and its result took 60
#: tokens beside their texts and each further parameter 15, the most frequent values by far (`budgeteer calibrate`).
_MEASURED: Final = "not published; measured on recorded requests of Claude 4.5 and 4.6, 2026-11-23"
_PAGE: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview, Pricing"

#: System prompt for tools in tokens, by model: tool_choice auto or none, and any or tool.
_SYSTEM_PROMPTS: Final = {
    "claude-opus-4-8": (290, 410),
    "claude-opus-4-7": (675, 804),
    "claude-opus-4-6": (497, 589),
    "claude-opus-4-5": (496, 588),
    "claude-opus-4-1": (313, 315),
    "claude-opus-4": (313, 315),
    "claude-sonnet-5": (354, 474),
    "claude-sonnet-4-6": (497, 589),
    "claude-sonnet-4-5": (496, 588),
    "claude-sonnet-4": (313, 315),
    "claude-haiku-4-5": (496, 588),
    "claude-3-5-haiku": (264, 355),
}


def _published(tokens: int) -> Charge:
    source = f"{_PAGE}: tool use system prompt token count of the model; checked 2026-11-24"
    return Charge(tokens, source, published=True)


OVERHEAD: Final = ProviderOverhead(
    message=Charge(3, STAND_IN),
    speaker=None,
    reply=Charge(3, STAND_IN),
    tools=Charge(
        346,
        f"{_PAGE}: system prompt for tools, tool_choice auto, Claude 4, before it was listed by model; "
        "checked 2026-11-21",
        published=True,
    ),
    forced=Charge(
        313,
        f"{_PAGE}: system prompt for tools, tool_choice any or tool, Claude 4, before it was listed by model; "
        "checked 2026-11-23",
        published=True,
    ),
    call=Charge(37, _MEASURED),
    parameter=Charge(15, _MEASURED),
    tools_of=MappingProxyType(
        {model: (_published(auto), _published(forced)) for model, (auto, forced) in _SYSTEM_PROMPTS.items()}
    ),
)
