"""The row of Gemini generateContent in the registry of providers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.gemini.capabilities import CAPABILITIES
from budgeteer.engine.providers.gemini.overhead import OVERHEAD
from budgeteer.engine.providers.gemini.pictures import gemini_image_tokens
from budgeteer.engine.providers.gemini.render import gemini_request
from budgeteer.engine.providers.gemini.rules import GEMINI_RULES
from budgeteer.engine.providers.gemini.tools import GEMINI_TOOLS

SETTINGS: Final = frozenset(
    {
        *("cachedContent", "generationConfig", "labels", "safetySettings", "serviceTier", "store", "toolConfig"),
        *("cached_content", "generation_config", "safety_settings", "service_tier", "tool_config"),
    }
)
"""https://ai.google.dev/api/generate-content, 2026-11."""


def _forces_tool(settings: Mapping[str, Any]) -> bool:
    config = settings.get("toolConfig") or settings.get("tool_config") or {}
    calling = config.get("functionCallingConfig") or config.get("function_calling_config") or {}
    return calling.get("mode") == "ANY"


GEMINI: Final = Provider(
    name="gemini",
    title="Gemini generateContent",
    family="gemini",
    column_prefix="gemini",
    request_keys=("systemInstruction", "system_instruction", "contents", "tools"),
    settings=SETTINGS,
    forces_tool=_forces_tool,
    plain_as=None,
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=gemini_image_tokens,
    tools=GEMINI_TOOLS,
    render=gemini_request,
    rules=GEMINI_RULES,
)
