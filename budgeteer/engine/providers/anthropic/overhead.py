"""What a request of Anthropic's costs beside its texts."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from budgeteer.engine.providers.base import Charge, ProviderOverhead

#: Of 45 requests without tools whose texts and recorded input are in the tests of pydantic-ai
#: (https://github.com/pydantic/pydantic-ai, **/cassettes), those of one message take 7 tokens beside their texts, as
#: Anthropic's own example does, and each two further messages 6, whether there is a system text or not; on Opus 4.8
#: and later 6 and 4. In 26 of its requests that answer calls, and in the growth of 969 recorded requests of Claude 4.5
#: and 4.6 (`budgeteer calibrate`), a call with its result takes 45 to 46 tokens with the frames of its two messages, 15
#: more for each parameter, and several calls of one message 16 to 26 more, once. A call that failed takes 7 to 9 more,
#: and reasoning that goes back with its own text 13 to 15 in half of 3,300 requests (docs/accuracy.md).
_MEASURED: Final = "not published; measured on recorded requests of Claude 4.5 and 4.6, 2026-11-24 (docs/accuracy.md)"
#: Its example: the system text "You are a scientist" (4 tokens) and "Hello, Claude" (3) are 14 input tokens; the one
#: message and the reply take the 7 that they take without a system text.
_COUNTED: Final = (
    "https://platform.claude.com/docs/en/build-with-claude/token-counting, count tokens in basic messages; "
    "checked 2026-11-24"
)
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
    message=Charge(2, _MEASURED),
    system=Charge(0, _COUNTED, published=True),
    speaker=None,
    reply=Charge(4, _MEASURED),
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
    call=Charge(39, _MEASURED),
    parallel=Charge(20, _MEASURED),
    parameter=Charge(15, _MEASURED),
    failed=Charge(8, _MEASURED),
    reasoning=Charge(14, _MEASURED),
    tools_of=MappingProxyType(
        {model: (_published(auto), _published(forced)) for model, (auto, forced) in _SYSTEM_PROMPTS.items()}
    ),
)
