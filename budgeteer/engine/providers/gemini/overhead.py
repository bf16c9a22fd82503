"""What a request of Gemini costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import FORCED, NO_PREAMBLE, NOT_CHARGED, STAND_IN, Charge, ProviderOverhead

#: In two sessions of the Gemini CLI with Gemini 2.5 Flash the input of 14 requests grew by 2,834 tokens, where the 31
#: messages that were added have 2,837 tokens of text by its own vocabulary; google-genai's local tokenizer counts texts
#: alone as well. The role is counted all the same, as of every provider.
_MEASURED: Final = "not published; measured on 14 recorded requests of Gemini 2.5 Flash, 2026-11-24 (docs/accuracy.md)"

OVERHEAD: Final = ProviderOverhead(
    message=Charge(0, _MEASURED),
    speaker=None,
    reply=Charge(3, STAND_IN),
    tools=Charge(0, NO_PREAMBLE),
    forced=FORCED,
    call=Charge(0, NOT_CHARGED),
    parameter=Charge(0, NOT_CHARGED),
)
