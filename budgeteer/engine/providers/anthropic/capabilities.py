"""What Anthropic's Messages accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from budgeteer.engine.content.conversation import AudioPart, FilePart, Part, Role
from budgeteer.engine.content.media import media_of
from budgeteer.engine.providers.base import NO_SYSTEM, Capabilities
from budgeteer.engine.providers.opaque_parts import has_type

#: https://platform.claude.com/docs/en/api/messages/create, `tool_use.id`; checked 2026-11-21.
CALL_ID: Final = re.compile(r"^[a-zA-Z0-9_-]{1,64}\Z")
#: What it reads as a picture (https://platform.claude.com/docs/en/build-with-claude/vision, 2026-11-21).
_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")


def takes_media(part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Pictures of four types and its own documents, in the user's messages and in results; no sound."""
    if role not in ("user", "tool") or isinstance(part, AudioPart):
        return False
    if isinstance(part, FilePart):
        return raw.get("type") == "document"
    media = media_of(raw)
    given = media is not None and (media.mime in _IMAGES if media.data else media.is_on_the_web)
    return (raw.get("type") == "image" and "source" in raw) or given


CAPABILITIES: Final = Capabilities(
    roles=NO_SYSTEM,
    argument_form="parameters",
    marks_errors=True,
    first_is_user=True,
    results_in_order=False,
    reasoning_first=True,
    joins_neighbours=True,
    system_in_two_places=False,
    call_id=CALL_ID,
    takes_text=lambda text: bool(text.strip()),
    takes_media=takes_media,
    takes_reasoning=lambda part: bool(part.signature or part.encrypted),
    reasoning_sealed=False,
    takes_opaque=lambda _part, _role: True,
    is_part=has_type,
)
