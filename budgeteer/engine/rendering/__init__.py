"""A packing as a provider's request, as text, and as spans to show. What is rendered is what was counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.profiles import PROFILES
from budgeteer.engine.rendering.anthropic import anthropic_request
from budgeteer.engine.rendering.gemini import gemini_request
from budgeteer.engine.rendering.markdown import render_markdown
from budgeteer.engine.rendering.openai_chat import openai_request
from budgeteer.engine.rendering.openai_responses import responses_request
from budgeteer.engine.rendering.sent_content import system_message
from budgeteer.engine.rendering.text import PromptSpan, render_spans, render_text

__all__ = [
    "REQUEST_FORMS",
    "PromptSpan",
    "render_markdown",
    "render_request",
    "render_spans",
    "render_text",
    "request_profile",
    "system_message",
]

REQUEST_FORMS: Final = ("openai-chat", "openai-responses", "anthropic", "gemini", "text", "markdown")

_REQUESTS: Final[Mapping[str, Callable[[Packing], dict[str, Any]]]] = {
    "openai-chat": openai_request,
    "openai-responses": responses_request,
    "anthropic": anthropic_request,
    "gemini": gemini_request,
}


def render_request(packing: Packing) -> dict[str, Any]:
    """The request of the packing's own profile, ready to send.

    Pack with `profile=` to get another provider's form: what that provider cannot be sent is then a decision.
    """
    return _REQUESTS[packing.profile](packing)


def request_profile(form: str) -> str | None:
    """The profile to pack with for a `--request` form: None for those to read, which are any profile's.

    Raises:
        InputError: there is no such form.
    """
    if form in ("text", "markdown"):
        return None
    if form in PROFILES:
        return form
    raise InputError(f"there is no request form {form}", where="--request", mend=f"Use {', '.join(REQUEST_FORMS)}.")
