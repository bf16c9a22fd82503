"""What a request of Anthropic's costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import STAND_IN, Charge, ProviderOverhead

#: Growth of the recorded input of 687 requests of Claude 4.5 and 4.6: a call with one parameter and its result took 60
#: tokens beside their texts and each further parameter 15, the most frequent values by far (`budgeteer calibrate`).
_MEASURED: Final = "not published; measured on recorded requests of Claude 4.5 and 4.6, 2026-11-23"

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
    forced=Charge(
        313,
        "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview, Pricing: system prompt for tools, "
        "tool_choice any or tool, Claude 4, as claudecodeguides.com quotes it; checked 2026-11-23",
        published=True,
    ),
    call=Charge(37, _MEASURED),
    parameter=Charge(15, _MEASURED),
)
