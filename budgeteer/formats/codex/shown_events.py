"""Rollouts of Codex without items of a kind, as programs copy them: what events told the screen stands for those.

Sources: codex-rs, `protocol/src/protocol.rs` (`EventMsg`), 2026-11.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.reading.json_text import JsonLine

_SHOWN: Final[Mapping[str, str]] = {"user_message": "user", "agent_message": "assistant"}
"""Events that show a message, by whom."""
_OUTPUTS: Final = ("formatted_output", "aggregated_output", "stdout")


def with_shown(lines: Sequence[JsonLine], notes: Notes) -> Sequence[JsonLine]:
    """The lines of a rollout; of a side whose messages no item holds, what the screen showed of it stands for those.

    So do the ends of commands, edits and calls where no item is a call or a reply.
    """
    items = [payload for line in lines if (payload := _item(line.value))]
    held = {text_value(item.get("role")) for item in items if item.get("type", "message") == "message"}
    missing = frozenset(_SHOWN.values()) - held
    has_calls = "assistant" in held or any(
        text_value(item.get("type")).endswith(("_call", "_output")) for item in items
    )
    if not missing and has_calls:
        return lines
    found: list[JsonLine] = []
    said = ran = 0
    for line in lines:
        message = _message(line.value, missing)
        made = [] if message or has_calls else list(_run(line.value))
        said, ran = said + bool(message), ran + bool(made)
        shown = [message] if message else made
        found += [JsonLine(line.number, item) for item in shown] or [line]
    notes.count("Messages that only events for the screen hold, read from those", said)
    notes.count("Calls that only events for the screen hold, read from those", ran)
    return found if said or ran else lines


def _item(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """What may be an item of a line: anything but an event."""
    return {} if value.get("type") == "event_msg" else object_under(value, "payload")


def _message(value: Mapping[str, Any], roles: Container[str]) -> dict[str, Any]:
    """The item of a message of these roles that an event shows, {} of any other line."""
    payload = object_under(value, "payload")
    role = _SHOWN.get(text_value(payload.get("type"))) if value.get("type") == "event_msg" else None
    said = text_value(payload.get("message"))
    if role is None or role not in roles or not said:
        return {}
    content = [{"type": "input_text" if role == "user" else "output_text", "text": said}]
    return _as_item(value, {"type": "message", "role": role, "content": content})


def _as_item(value: Mapping[str, Any], payload: Mapping[str, Any]) -> dict[str, Any]:
    return {**value, "type": "response_item", "payload": payload}


def _run(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The call and its output that the end of one tells."""
    payload = object_under(value, "payload")
    made = _ENDS.get(text_value(payload.get("type"))) if value.get("type") == "event_msg" else None
    given = text_value(payload.get("call_id"))
    if made is None or not given:
        return
    name, arguments, output = made(payload)
    call = {"type": "function_call", "call_id": given, "name": name, "arguments": compact_json(arguments)}
    yield _as_item(value, call)
    yield _as_item(value, {"type": "function_call_output", "call_id": given, "output": output})


def _command(payload: Mapping[str, Any]) -> tuple[str, Any, str]:
    told = next((text for key in _OUTPUTS if (text := text_value(payload.get(key)))), "")
    return "shell", {"command": payload.get("command")}, told or text_value(payload.get("stderr"))


def _edit(payload: Mapping[str, Any]) -> tuple[str, Any, str]:
    told = [text for key in ("stdout", "stderr") if (text := text_value(payload.get(key)))]
    return "apply_patch", {"changes": payload.get("changes")}, "\n".join(told)


def _tool(payload: Mapping[str, Any]) -> tuple[str, Any, str]:
    invocation, result = object_under(payload, "invocation"), payload.get("result")
    told = result.get("Ok", result.get("Err")) if isinstance(result, OBJECT) else result
    output = told if isinstance(told, str) else "" if told is None else compact_json(told)
    return text_value(invocation.get("tool")) or "mcp", invocation.get("arguments") or {}, output


_ENDS: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, Any, str]]]] = {
    "exec_command_end": _command,
    "patch_apply_end": _edit,
    "mcp_tool_call_end": _tool,
}
"""Events that end a call, by what they tell of it."""
