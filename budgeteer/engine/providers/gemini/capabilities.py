"""What Gemini's generateContent accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from budgeteer.engine.content.conversation import OpaquePart, Part, Role
from budgeteer.engine.content.media import media_of
from budgeteer.engine.providers.base import NO_SYSTEM, Capabilities
from budgeteer.engine.providers.opaque_parts import is_in_place

#: The parts that are kept as they came, in the spelling of its API and of its Python SDK.
_OWN_PARTS: Final = (
    *("executableCode", "codeExecutionResult", "toolCall", "toolResponse"),
    *("executable_code", "code_execution_result", "tool_call", "tool_response"),
)


def takes_media(_part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Bytes or an address with a known type, anywhere but in system texts; in results bytes only."""
    media = media_of(raw)
    if media is None or not media.mime:
        return False
    return bool(media.data) or (bool(media.url) and role in ("user", "assistant"))


def is_part(part: OpaquePart) -> bool:
    """Whether it has an object of its kind, as every part has."""
    return any(isinstance(part.raw.get(key), Mapping) for key in _OWN_PARTS)


CAPABILITIES: Final = Capabilities(
    roles=NO_SYSTEM,
    argument_form="object",
    marks_errors=True,
    first_is_user=True,
    # https://ai.google.dev/gemini-api/docs/function-calling, "Parallel function calling", and the API's own 400: as
    # many function responses as calls, in one turn; checked 2026-11-22.
    results_in_order=True,
    reasoning_first=False,
    joins_neighbours=True,
    system_in_two_places=False,
    call_id=None,
    takes_text=bool,
    takes_media=takes_media,
    takes_reasoning=lambda part: bool(part.signature),
    reasoning_sealed=False,
    takes_opaque=is_in_place,
    is_part=is_part,
)
