"""iFlow's sessions: lines like Claude Code's in a row, whose results keep the function's response that was sent.

Certain: session ids are `session-` and a uuid. The parents of its lines are no tree: each reply names the prompt above,
and one reply is written again with every further call of it.
Source: sessions of iFlow CLI 0.5 that people have published, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.reading.entries import mappings

_SESSION: Final = "session-"
_SESSION_LENGTH: Final = len(_SESSION) + 36
_SENT: Final = "responseParts"


def is_iflow(session: str) -> bool:
    """Whether a session id is one of iFlow's."""
    return len(session) == _SESSION_LENGTH and session.startswith(_SESSION)


def as_sent_by_iflow(content: Any) -> Any:
    """The content of a user's line, its results as the text that the model read."""
    if not isinstance(content, list) or not any(map(_is_kept, content)):
        return content
    return [{**block, "content": _sent(block["content"])} if _is_kept(block) else block for block in content]


def _is_kept(block: Any) -> bool:
    return isinstance(block, OBJECT) and isinstance(block.get("content"), OBJECT) and _SENT in block["content"]


def _sent(kept: Mapping[str, Any]) -> Any:
    """The output of the function's response; where it has none the parts as they are."""
    held = kept[_SENT]
    parts = [held] if isinstance(held, OBJECT) else mappings(held)
    responses = [object_under(object_under(part, "functionResponse"), "response") for part in parts]
    outputs = [output for one in responses if isinstance(output := one.get("output", one.get("error")), str)]
    return "\n".join(outputs) if outputs else held if isinstance(held, list) else [held]
