"""Calls and results that are messages with roles of their own, put where OpenAI's form has them.

A call is a message of the role `tool_call`, `tool_use` or `function_call`. Its name stands beside the role, its
arguments too, or as JSON under `content`; or `content` is JSON of both, as ms-swift trains on; or `tool_call` holds
both. A result is a message of the role `tool_result`, `tool_response` and the like, its text under `content`, `output`
or `result`, or in an object `tool_result`. Fields that stand in neither place may stand under `metadata`.
Source: https://swift.readthedocs.io/en/latest/Customization/Custom-dataset.html and logs of agents, 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.numbering import Notes, first_text
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.speakers import CALL_ROLES, RESULT_ROLES
from budgeteer.formats.reading import json_text

_NAMES: Final = ("tool_name", "toolName", "tool", "name", "function_name")
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters", "params", "tool_input", "arguments_json")
_IDS: Final = ("tool_call_id", "toolCallId", "tool_use_id", "call_id", "id")
_OUTPUTS: Final = ("output", "result", "response", "tool_output")
_BESIDE: Final = ("metadata", "meta")
_INSIDE: Final = ("tool_call", "tool_use", "function_call", "tool_result")
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{0,63}")
"""What a name of a tool is made of, where it stands alone under `content` beside its arguments."""


def with_role_of_form(raw: Mapping[str, Any], notes: Notes) -> Mapping[str, Any]:
    """A message whose role says that it is a call or a result in OpenAI's form; any other as it is."""
    role = raw.get("role")
    if not isinstance(role, str):
        return raw
    word = role.lower()
    if word in CALL_ROLES and not raw.get("tool_calls"):
        return _call(raw, role, notes) or raw
    return _result(raw) if word in RESULT_ROLES and not raw.get("tool_calls") else raw


def _call(raw: Mapping[str, Any], role: str, notes: Notes) -> Mapping[str, Any] | None:
    """The message of a call; None where it has no name."""
    said = raw.get("content")
    told = json_text.parse_inner(said, None) if isinstance(said, str) and said.lstrip()[:1] in ("{", "[") else said
    written = _written_calls(told)
    given = _fields(raw)
    if written:
        calls, rest = [_made(one, {}) for one in written], None
    elif first_text(given, _NAMES):
        is_argument = isinstance(told, OBJECT) and _first(given, _ARGUMENTS) is None
        calls, rest = [_made(given, told if is_argument else "")], None if is_argument else said
    elif isinstance(_first(given, _ARGUMENTS), OBJECT) and isinstance(said, str) and _NAME.fullmatch(said):
        calls, rest = [_made({**given, "name": said}, "")], None
    else:
        return None
    notes.see(role)
    notes.count(f"Messages of the role `{role.lower()}`, read as calls")
    left = {key: value for key, value in raw.items() if key in ("timestamp", "created_at")}
    return {**left, "role": "assistant", "content": rest, "tool_calls": calls}


def _written_calls(told: Any) -> list[Mapping[str, Any]]:
    """The calls that a content is JSON of, one or a list of nothing else; none of any other content."""
    found = told if isinstance(told, list) else [told]
    calls = [one for one in found if isinstance(one, OBJECT) and _names_call(one)]
    return calls if len(calls) == len(found) else []


def _result(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message of a result with its text under `content`, and the id of its call where it has one."""
    given = _fields(raw)
    found = dict(raw)
    output = _first(given, _OUTPUTS)
    if not raw.get("content") and output is not None:
        found["content"] = output if isinstance(output, str | list) else compact_json(output)
    if call_id := first_text(given, _IDS[:-1]):
        found["tool_call_id"] = call_id
    if name := first_text(given, _NAMES):
        found["name"] = name
    if given.get("success") is False:
        found["is_error"] = True
    return found


def _fields(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a message, and of what stands in it or beside it, those of the message first."""
    found: dict[str, Any] = {}
    for key in (*_BESIDE, *_INSIDE):
        held = raw.get(key)
        found |= held if isinstance(held, OBJECT) else {}
    return found | {key: value for key, value in raw.items() if value not in (None, "") and key not in _INSIDE}


def _names_call(told: Mapping[str, Any]) -> bool:
    """Whether an object is a call: it has a name and arguments."""
    return bool(first_text(told, _NAMES)) and any(key in told for key in _ARGUMENTS)


def _made(given: Mapping[str, Any], arguments: Any) -> dict[str, Any]:
    """A call as applications write it that keep the name beside the id; `arguments` are those of one without any."""
    held = _first(given, _ARGUMENTS)
    call = {"id": first_text(given, _IDS), "name": first_text(given, _NAMES)}
    call["arguments"] = arguments if held is None else held
    for key in ("result", "output"):
        if given.get(key) is not None:
            call[key] = given[key]
    return call


def _first(given: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((given[key] for key in keys if given.get(key) is not None), None)
