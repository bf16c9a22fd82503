"""The row of OpenAI chat completions."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.openai_chat.capabilities import CAPABILITIES
from budgeteer.engine.providers.openai_chat.overhead import OVERHEAD
from budgeteer.engine.providers.openai_chat.pictures import openai_image_tokens
from budgeteer.engine.providers.openai_chat.render import chat_request
from budgeteer.engine.providers.openai_chat.rules import CHAT_RULES
from budgeteer.engine.providers.openai_chat.tools import OPENAI_TOOLS

OPENAI_CHAT: Final = Provider(
    name="openai-chat",
    title="OpenAI chat completions",
    family="openai",
    column_prefix="openai",
    request_keys=("messages", "tools"),
    plain_as=None,
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=openai_image_tokens,
    tools=OPENAI_TOOLS,
    render=chat_request,
    rules=CHAT_RULES,
)
