"""The row of OpenAI chat completions in the registry of providers."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.openai_chat.capabilities import CAPABILITIES
from budgeteer.engine.providers.openai_chat.overhead import OVERHEAD
from budgeteer.engine.providers.openai_chat.pictures import openai_image_tokens
from budgeteer.engine.providers.openai_chat.render import chat_request
from budgeteer.engine.providers.openai_chat.rules import CHAT_RULES
from budgeteer.engine.providers.openai_chat.tools import OPENAI_TOOLS

SETTINGS: Final = frozenset(
    {
        *("audio", "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "metadata"),
        *("modalities", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key"),
        *("prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed"),
        *("service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "top_logprobs"),
        *("top_p", "user", "verbosity", "web_search_options"),
    }
)
"""https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create, 2026-11."""

OPENAI_CHAT: Final = Provider(
    name="openai-chat",
    title="OpenAI chat completions",
    family="openai",
    column_prefix="openai",
    request_keys=("messages", "tools"),
    settings=SETTINGS,
    forces_tool=lambda settings: settings.get("tool_choice") not in (None, "auto", "none"),
    plain_as=None,
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=openai_image_tokens,
    tools=OPENAI_TOOLS,
    render=chat_request,
    rules=CHAT_RULES,
)
