"""What OpenAI's chat accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from budgeteer.engine.content.conversation import AudioPart, FilePart, OpaquePart, Part, ReasoningPart, Role
from budgeteer.engine.content.media import media_of
from budgeteer.engine.providers.base import ALL_ROLES, Capabilities
from budgeteer.engine.providers.opaque_parts import has_type, is_in_place


def takes_media(part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Pictures, sound and its own files in the user's messages only; results and replies are text."""
    if role != "user":
        return False
    if isinstance(part, AudioPart | FilePart):
        return raw.get("type") in ("file", "input_audio")
    media = media_of(raw)
    return raw.get("type") == "image_url" or (media is not None and bool(media.data or media.is_on_the_web))


def _takes_reasoning(part: ReasoningPart) -> bool:
    return bool(part.signature or part.encrypted)


def is_part(part: OpaquePart) -> bool:
    """Whether it has a type, or is the `refusal` that stands beside a message's content and has none."""
    return has_type(part) or (part.kind == "refusal" and part.raw.get("type") is None)


CAPABILITIES: Final = Capabilities(
    roles=ALL_ROLES,
    argument_form="text",
    marks_errors=False,
    first_is_user=False,
    results_in_order=False,
    reasoning_first=False,
    joins_neighbours=False,
    system_in_two_places=False,
    call_id=None,
    takes_text=lambda _text: True,
    takes_media=takes_media,
    takes_reasoning=_takes_reasoning,
    reasoning_sealed=False,
    takes_opaque=is_in_place,
    is_part=is_part,
)
