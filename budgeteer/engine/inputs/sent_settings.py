"""What becomes of the settings of the request that is packed: what they ask for, and which are not sent."""

from __future__ import annotations

from collections.abc import Iterator

from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.providers.registry import PROVIDERS


def asks_for_call(bundle: Bundle, provider: str) -> bool:
    """Whether the request, as this provider is sent it, asks for a call of some tool."""
    settings = bundle.settings
    return settings is not None and settings.provider == provider and PROVIDERS[provider].forces_tool(settings.values)


def settings_notes(bundle: Bundle, provider: str, *, with_tools: bool) -> Iterator[str]:
    """The settings that are not sent, and a charge for them that is not known; nothing where none was read."""
    settings = bundle.settings
    if settings is None:
        return
    is_own = settings.provider == provider
    sent = settings.sent(with_tools=with_tools) if is_own else {}
    if left := [key for key in settings.values if key not in sent]:
        why = "they go only with tools" if is_own else f"only {PROVIDERS[settings.provider].title} knows them"
        yield f"Settings of the request that are not sent, for {why}: {', '.join(left)}."
    if with_tools and asks_for_call(bundle, provider) and not PROVIDERS[provider].overhead.forced.published:
        yield "What the provider charges for a choice of a tool is not published; nothing is added for it."
