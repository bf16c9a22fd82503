"""The row of Gemini generateContent."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.gemini.capabilities import CAPABILITIES
from budgeteer.engine.providers.gemini.overhead import OVERHEAD
from budgeteer.engine.providers.gemini.pictures import gemini_image_tokens
from budgeteer.engine.providers.gemini.render import gemini_request
from budgeteer.engine.providers.gemini.rules import GEMINI_RULES
from budgeteer.engine.providers.gemini.tools import GEMINI_TOOLS

GEMINI: Final = Provider(
    name="gemini",
    title="Gemini generateContent",
    family="gemini",
    column_prefix="gemini",
    request_keys=("systemInstruction", "system_instruction", "contents", "tools"),
    plain_as=None,
    capabilities=CAPABILITIES,
    overhead=OVERHEAD,
    image_tokens=gemini_image_tokens,
    tools=GEMINI_TOOLS,
    render=gemini_request,
    rules=GEMINI_RULES,
)
