"""What a request of OpenAI's chat costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import COOKBOOK, FORCED, NO_PREAMBLE, NOT_CHARGED, Charge, ProviderOverhead

OVERHEAD: Final = ProviderOverhead(
    message=Charge(3, COOKBOOK, published=True),
    system=None,
    speaker=Charge(1, COOKBOOK, published=True),
    reply=Charge(3, COOKBOOK, published=True),
    tools=Charge(0, NO_PREAMBLE),
    forced=FORCED,
    call=Charge(0, NOT_CHARGED),
    parallel=Charge(0, NOT_CHARGED),
    parameter=Charge(0, NOT_CHARGED),
)
