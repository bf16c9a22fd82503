"""What a request of Responses costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import FORCED, NO_PREAMBLE, NOT_CHARGED, STAND_IN, Charge, ProviderOverhead

#: Growth of the recorded input of 500 requests of GPT-5.5: a call with its result took 23 tokens beside their texts
#: (`budgeteer calibrate`); the frames of the two messages are 8 of these.
_MEASURED: Final = "not published; measured on recorded requests of GPT-5.5, 2026-11-23"

OVERHEAD: Final = ProviderOverhead(
    message=Charge(3, STAND_IN),
    system=None,
    speaker=None,
    reply=Charge(3, STAND_IN),
    tools=Charge(0, NO_PREAMBLE),
    forced=FORCED,
    call=Charge(15, _MEASURED),
    parallel=Charge(0, NOT_CHARGED),
    parameter=Charge(0, NOT_CHARGED),
)
