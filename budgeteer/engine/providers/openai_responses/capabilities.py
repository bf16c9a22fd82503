"""What OpenAI's Responses accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from budgeteer.engine.content.conversation import AudioPart, Part, Role
from budgeteer.engine.content.media import media_of
from budgeteer.engine.providers.base import ALL_ROLES, Capabilities
from budgeteer.engine.providers.opaque_parts import has_type, is_in_place

#: https://developers.openai.com/api/reference/resources/responses/methods/create, `call_id`: 1 to 64 characters;
#: checked 2026-11-22.
CALL_ID: Final = re.compile(r"^.{1,64}\Z", re.DOTALL)


def takes_media(part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Pictures and files in the user's messages and in results, and those it drew itself; no sound."""
    if raw.get("type") == "image_generation_call":
        return role == "assistant"
    media = media_of(raw)
    if role not in ("user", "tool") or isinstance(part, AudioPart) or media is None:
        return False
    own = raw.get("type") in ("image_url", "input_image", "file", "input_file")
    return bool(media.data or media.is_on_the_web or (own and media.file_id))


CAPABILITIES: Final = Capabilities(
    roles=ALL_ROLES,
    argument_form="text",
    marks_errors=False,
    first_is_user=False,
    results_in_order=False,
    reasoning_first=False,
    joins_neighbours=False,
    system_in_two_places=True,
    call_id=CALL_ID,
    takes_text=bool,
    takes_media=takes_media,
    takes_reasoning=lambda part: bool(part.encrypted),
    reasoning_sealed=True,
    takes_opaque=is_in_place,
    is_part=has_type,
    sealed_key="encrypted_content",
)
