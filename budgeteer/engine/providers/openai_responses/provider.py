"""The row of OpenAI Responses."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.openai_chat.pictures import openai_image_tokens
from budgeteer.engine.providers.openai_responses.capabilities import CAPABILITIES
from budgeteer.engine.providers.openai_responses.overhead import OVERHEAD
from budgeteer.engine.providers.openai_responses.render import responses_request
from budgeteer.engine.providers.openai_responses.rules import RESPONSES_RULES
from budgeteer.engine.providers.openai_responses.tools import RESPONSES_TOOLS

OPENAI_RESPONSES: Final = Provider(
    name="openai-responses",
    title="OpenAI Responses",
    family="openai-responses",
    column_prefix="responses",
    request_keys=("instructions", "input", "tools"),
    plain_as=None,
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=openai_image_tokens,
    tools=RESPONSES_TOOLS,
    render=responses_request,
    rules=RESPONSES_RULES,
)
