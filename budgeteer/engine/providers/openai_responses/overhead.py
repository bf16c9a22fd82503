"""What a request of Responses costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import FORCED, NO_PREAMBLE, NOT_CHARGED, STAND_IN, Charge, ProviderOverhead

#: Growth of the recorded input of 1,098 requests of GPT-5.5 that went on with calls alone (Codex): beside the texts and
#: the frames of the messages, the calls of a message took 4 tokens, each with its result 12 where its name has two, and
#: several of them 16 more. 538 requests of GPT-5.3 Codex (OpenCode), which it was not fitted to, are then off by
#: 0.14 % in the median (docs/accuracy.md).
_MEASURED: Final = "not published; measured on recorded requests of GPT-5.5, 2026-11-26"

OVERHEAD: Final = ProviderOverhead(
    message=Charge(3, STAND_IN),
    system=None,
    speaker=None,
    reply=Charge(3, STAND_IN),
    tools=Charge(0, NO_PREAMBLE),
    forced=FORCED,
    call=Charge(12, _MEASURED),
    parallel=Charge(16, _MEASURED),
    parameter=Charge(0, NOT_CHARGED),
    calling=Charge(4, _MEASURED),
)
