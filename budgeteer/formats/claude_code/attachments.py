"""Attachments of a Claude Code session: context that newer versions put beside a prompt, one line each.

Claude Code turns an attachment into a user message for the model. From version 2.1.266 on it writes that text beside
it (`rendered`), before only what it was made from. Of the latter the kinds are read whose own text is in the file. The
words that Claude Code puts around it are not: a message is a little low rather than invented. How many tokens they are
is known of some kinds, and is kept with the request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from budgeteer.formats.messages.numbering import text_value

_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "agent_listing_delta": ("addedLines",),
    "critical_system_reminder": ("content",),
    "deferred_tools_delta": ("addedLines",),
    "diagnostics": ("files", "diagnostics", "message"),
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

_LISTS: Final[Mapping[str, str]] = {"task_reminder": "subject", "todo_reminder": "content"}
"""The kinds that show the task list, and what names an item of it."""

_WORDS: Final[Mapping[str, Mapping[str, tuple[int, int]]]] = {
    "task_reminder": {"claude-v3": (110, 118), "claude-v4.7": (162, 174), "claude-v4.8": (162, 174)},
    "todo_reminder": {"claude-v3": (103, 117), "claude-v4.7": (155, 173), "claude-v4.8": (155, 173)},
    "queued_command": {"claude-v3": (49, 49), "claude-v4.7": (64, 64), "claude-v4.8": (64, 64)},
    "plan_mode": {"claude-v3": (1075, 1075), "claude-v4.7": (1553, 1553), "claude-v4.8": (1553, 1553)},
    "plan_mode sparse": {"claude-v3": (94, 94), "claude-v4.7": (140, 140), "claude-v4.8": (140, 140)},
    "plan_mode_exit": {"claude-v3": (40, 72), "claude-v4.7": (52, 92), "claude-v4.8": (52, 92)},
    "plan_mode_reentry": {"claude-v3": (238, 238), "claude-v4.7": (333, 333), "claude-v4.8": (333, 333)},
}
"""The tokens of the words that stand around the text of a kind, by tokenizer: without a text, and with one.

They were counted of what versions 2.1 send, and agree with recorded requests of Claude 4.5 and 4.6 (docs/accuracy.md).
Those of plan mode are with a path of usual length. Its whole text is that for one agent that plans: accounts that may
have three are sent 116 tokens more, of which no line tells.
"""
_OLDEST_FAMILY: Final = "claude-v3"

_HEARD_HOOKS: Final = frozenset({"SessionStart", "UserPromptSubmit"})
"""Hooks whose output the model reads when they succeed."""


def attached_message(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The user message an `attachment` line stands for, {} when its text is not in the file."""
    attachment = line.get("attachment")
    if not isinstance(attachment, Mapping):
        return {}
    rendered = line.get("rendered")
    if isinstance(rendered, list):
        return _user_message(_texts(rendered, ("content",)))
    kind = text_value(attachment.get("type"))
    if kind == "hook_success" and text_value(attachment.get("hookEvent")) not in _HEARD_HOOKS:
        return {}
    places = _PLACES.get(kind)
    listed = _LISTS.get(kind)
    texts = _texts(attachment, places) if places else []
    if listed and (rows := _rows(attachment.get("content"), listed)):
        texts = [rows]
    return _user_message(texts)


def _user_message(texts: Sequence[str]) -> Mapping[str, Any]:
    blocks = [{"type": "text", "text": text} for text in texts]
    return {"role": "user", "content": blocks} if blocks else {}


def _rows(items: Any, name: str) -> str:
    """The task list as the model reads it: a line for each item, with its number and status."""
    shown = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    mark = "#" if name == "subject" else ""
    return "\n".join(
        f"{mark}{item.get('id', number)}. [{text_value(item.get('status'))}] {text_value(item.get(name))}"
        for number, item in enumerate(shown, 1)
    )


def unwritten_tokens(line: Mapping[str, Any], tokenizer: str) -> int:
    """The tokens of the words that Claude Code puts around the attachment of a line that does not have them.

    0 where they are not known. Under a tokenizer that is not Claude's they are those of the oldest family.
    """
    attachment = line.get("attachment")
    if not isinstance(attachment, Mapping) or isinstance(line.get("rendered"), list):
        return 0
    words = _WORDS.get(_kind(attachment))
    if words is None:
        return 0
    without, with_text = words.get(tokenizer, words[_OLDEST_FAMILY])
    return with_text if attachment.get("planExists") is True or attached_message(line) else without


def _kind(attachment: Mapping[str, Any]) -> str:
    """The kind of an attachment, of plan mode with how much of it is said; "" for what a sub-agent is told."""
    kind = text_value(attachment.get("type"))
    if kind != "plan_mode":
        return kind
    if attachment.get("isSubAgent") is True:
        return ""
    return f"{kind} sparse" if attachment.get("reminderType") == "sparse" else kind


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
