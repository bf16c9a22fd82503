"""What a request of Gemini costs beside its texts."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import FORCED, NO_PREAMBLE, NOT_CHARGED, Charge, ProviderOverhead

#: In two sessions of the Gemini CLI with Gemini 2.5 Flash the input of 14 requests grew by 2,834 tokens, where the 31
#: messages that were added have 2,837 tokens of text by its own vocabulary; google-genai's local tokenizer counts texts
#: alone as well. The role is counted all the same, as of every provider.
_MEASURED: Final = "not published; measured on 14 recorded requests of Gemini 2.5 Flash, 2026-11-24 (docs/accuracy.md)"
#: Its example of usage: "The quick brown fox jumps over the lazy dog." has 10 tokens by countTokens and is billed as
#: prompt_token_count 11. The role of the message is the one beside the text, so nothing is left for the reply.
_COUNTED: Final = "https://ai.google.dev/api/tokens, counting text, checked 2026-11-24"

OVERHEAD: Final = ProviderOverhead(
    message=Charge(0, _MEASURED),
    system=None,
    speaker=None,
    reply=Charge(0, _COUNTED, published=True),
    tools=Charge(0, NO_PREAMBLE),
    forced=FORCED,
    call=Charge(0, NOT_CHARGED),
    parallel=Charge(0, NOT_CHARGED),
    parameter=Charge(0, NOT_CHARGED),
)
