"""Parts that only their provider understands: where they may stand, and which of them are parts at all."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.content.conversation import OpaquePart, Role

#: Where a part of a provider's own may stand, if not in the user's and the assistant's messages: OpenAI's refusal is
#: the assistant's, and a call that is none stands nowhere.
_ROLES: Final[dict[str, tuple[Role, ...]]] = {"refusal": ("assistant",), "tool_call": ()}

#: Kinds of parts that messages have in a form of their own. One that is left as it came is in the wrong shape or place.
_WRITTEN_APART: Final = frozenset(
    {"text", "input_text", "output_text", "tool_use", "tool_result", "thinking", "redacted_thinking"}
)


def is_in_place(part: OpaquePart, role: Role) -> bool:
    """Whether the part may stand in a message of that role."""
    return role in _ROLES.get(part.kind, ("user", "assistant"))


def has_type(part: OpaquePart) -> bool:
    """Whether the part has a type of its own, as OpenAI and Anthropic ask of every part."""
    kind = part.raw.get("type")
    return isinstance(kind, str) and bool(kind) and kind not in _WRITTEN_APART
