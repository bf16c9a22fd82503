"""A packing as a provider's request, as text, and as spans to show. What is rendered is what was counted."""

from __future__ import annotations

from typing import Any, Final

from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering.markdown import render_markdown
from budgeteer.engine.rendering.sent_content import request_content, system_message
from budgeteer.engine.rendering.text import PromptSpan, render_spans, render_text

__all__ = [
    "READING_FORMS",
    "REQUEST_FORMS",
    "PromptSpan",
    "render_markdown",
    "render_request",
    "render_spans",
    "render_text",
    "request_profile",
    "system_message",
]

READING_FORMS: Final = ("text", "markdown")
"""Forms to read, of any provider's packing."""

REQUEST_FORMS: Final = (*PROVIDERS, *READING_FORMS)


def render_request(packing: Packing) -> dict[str, Any]:
    """The request of the packing's own provider, ready to send, with the settings of the request that was read.

    Where the configuration says how many tokens are reserved for the reply, that is Anthropic's `max_tokens`.

    Pack with `provider=` to get another provider's form: what that provider cannot be sent is then a decision.
    """
    request = PROVIDERS[packing.provider].render(request_content(packing))
    settings = packing.bundle.settings
    if settings is None or settings.provider != packing.provider:
        return request
    own = settings.sent(with_tools="tools" in request)
    if packing.config.output_reserve is not None and "max_tokens" in request:
        own.pop("max_tokens", None)
    return request | own


def request_provider(form: str) -> str | None:
    """The provider to pack with for a `--request` form: None for those to read, which are any provider's.

    Raises:
        InputError: there is no such form.
    """
    if form in READING_FORMS:
        return None
    if form in PROVIDERS:
        return form
    raise InputError(f"there is no request form {form}", where="--request", mend=f"Use {', '.join(REQUEST_FORMS)}.")
