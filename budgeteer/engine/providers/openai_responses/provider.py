"""The row of OpenAI Responses in the registry of providers."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.openai_chat.pictures import openai_image_tokens
from budgeteer.engine.providers.openai_responses.capabilities import CAPABILITIES
from budgeteer.engine.providers.openai_responses.overhead import OVERHEAD
from budgeteer.engine.providers.openai_responses.render import responses_request
from budgeteer.engine.providers.openai_responses.rules import RESPONSES_RULES
from budgeteer.engine.providers.openai_responses.tools import RESPONSES_TOOLS

SETTINGS: Final = frozenset(
    {
        *("background", "context_management", "conversation", "include", "max_output_tokens", "max_tool_calls"),
        *("metadata", "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key"),
        *("prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store", "stream"),
        *("stream_options", "temperature", "text", "tool_choice", "top_logprobs", "top_p", "truncation", "user"),
    }
)
"""https://developers.openai.com/api/reference/resources/responses/methods/create, 2026-11."""

OPENAI_RESPONSES: Final = Provider(
    name="openai-responses",
    title="OpenAI Responses",
    family="openai-responses",
    column_prefix="responses",
    request_keys=("instructions", "input", "tools"),
    settings=SETTINGS,
    forces_tool=lambda settings: settings.get("tool_choice") not in (None, "auto", "none"),
    plain_as=None,
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=openai_image_tokens,
    tools=RESPONSES_TOOLS,
    render=responses_request,
    rules=RESPONSES_RULES,
)
