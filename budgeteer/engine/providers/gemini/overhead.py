"""What a request of Gemini costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import FORCED, NO_PREAMBLE, NOT_CHARGED, STAND_IN, Charge, ProviderOverhead

OVERHEAD: Final = ProviderOverhead(
    message=Charge(3, STAND_IN),
    speaker=None,
    reply=Charge(3, STAND_IN),
    tools=Charge(0, NO_PREAMBLE),
    forced=FORCED,
    call=Charge(0, NOT_CHARGED),
    parameter=Charge(0, NOT_CHARGED),
)
