"""Attachments of a Claude Code session: context that newer versions put beside a prompt, one line each.

Claude Code turns an attachment into a user message for the model and writes down only what it was made from. The kinds
read here are those whose own text is in the file; the words that Claude Code puts around it are not, so that a count
is a little low rather than invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.formats.messages.numbering import text_value

_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "agent_listing_delta": ("addedLines",),
    "critical_system_reminder": ("content",),
    "deferred_tools_delta": ("addedLines",),
    "edited_text_file": ("snippet",),
    "file": ("content", "file", "content"),
    "hook_additional_context": ("content",),
    "hook_success": ("content",),
    "invoked_skills": ("skills", "content"),
    "mcp_instructions_delta": ("addedBlocks",),
    "nested_memory": ("content", "content"),
    "plan_file_reference": ("planContent",),
    "queued_command": ("prompt",),
    "relevant_memories": ("memories", "content"),
    "selected_lines_in_ide": ("content",),
    "skill_listing": ("content",),
    "total_tokens_reminder": ("text",),
}
"""Where the text of each kind stands: keys from the outside in; a list on the way is read element by element."""

_HEARD_HOOKS: Final = frozenset({"SessionStart", "UserPromptSubmit"})
"""Hooks whose output the model reads when they succeed."""


def attached_message(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The user message an `attachment` line stands for, {} when its text is not in the file."""
    attachment = line.get("attachment")
    if not isinstance(attachment, Mapping):
        return {}
    kind = text_value(attachment.get("type"))
    if kind == "hook_success" and text_value(attachment.get("hookEvent")) not in _HEARD_HOOKS:
        return {}
    places = _PLACES.get(kind)
    texts = _texts(attachment, places) if places else []
    blocks = [{"type": "text", "text": text} for text in texts]
    return {"role": "user", "content": blocks} if blocks else {}


def is_typed_attachment(line: Mapping[str, Any]) -> bool:
    """Whether a person typed it: a prompt queued while the model was at work, and no notice of a task."""
    attachment = line.get("attachment")
    if not isinstance(attachment, Mapping) or attachment.get("type") != "queued_command":
        return False
    return attachment.get("isMeta") is not True and attachment.get("commandMode") in (None, "prompt")


def _texts(value: Any, keys: tuple[str, ...]) -> list[str]:
    match value:
        case list():
            return [text for item in value for text in _texts(item, keys)]
        case str():
            return [value] if value.strip() and not keys else []
        case Mapping() if keys:
            return _texts(value.get(keys[0]), keys[1:])
        case Mapping():
            return _texts(value.get("text"), ())
        case _:
            return []
