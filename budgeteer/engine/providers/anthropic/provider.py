"""The row of Anthropic Messages in the registry of providers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.providers.anthropic.capabilities import CAPABILITIES
from budgeteer.engine.providers.anthropic.overhead import OVERHEAD
from budgeteer.engine.providers.anthropic.pictures import anthropic_image_tokens
from budgeteer.engine.providers.anthropic.render import anthropic_request
from budgeteer.engine.providers.anthropic.rules import ANTHROPIC_RULES
from budgeteer.engine.providers.anthropic.tools import ANTHROPIC_TOOLS
from budgeteer.engine.providers.base import Provider

SETTINGS: Final = frozenset(
    {
        *("cache_control", "container", "context_management", "inference_geo", "max_tokens", "metadata"),
        *("output_config", "output_format", "service_tier", "speed", "stop_sequences", "stream", "temperature"),
        *("thinking", "tool_choice", "top_k", "top_p"),
    }
)
"""https://platform.claude.com/docs/en/api/messages/create, 2026-11; without `mcp_servers`, which may hold a token."""


def _forces_tool(settings: Mapping[str, Any]) -> bool:
    choice = settings.get("tool_choice")
    return isinstance(choice, Mapping) and choice.get("type") in ("any", "tool")


ANTHROPIC: Final = Provider(
    name="anthropic",
    title="Anthropic Messages",
    family="anthropic",
    column_prefix="anthropic",
    request_keys=("system", "messages", "tools"),
    settings=SETTINGS,
    forces_tool=_forces_tool,
    plain_as="openai-chat",
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=anthropic_image_tokens,
    tools=ANTHROPIC_TOOLS,
    render=anthropic_request,
    rules=ANTHROPIC_RULES,
)
