"""Sessions of Docker Agent: summaries, sessions that a task was given to, parts, and what is no item."""

from __future__ import annotations

from typing import Any

from budgeteer.engine.content.conversation import FilePart, ImagePart, ReasoningPart, results_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.frameworks import DOCKER_AGENT
from tests.formats.shapes import database, dumps

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def said(role: str, content: str, agent: str = "root", **more: Any) -> dict[str, Any]:
    return {"message": {"agentName": agent, "message": {"role": role, "content": content, **more}}}


def session(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "s-2", "title": "", "messages": list(items), **more}


def test_a_session_is_read_with_its_tools_failures_and_usage() -> None:
    found = import_bytes(dumps(DOCKER_AGENT), name="evals.json")
    (chat,) = found.conversations
    assert (found.format, chat.id, chat.title, chat.model) == ("docker-agent", "s-1", "Warm rooms", "m")
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert chat.messages[1].parts[0] == ReasoningPart("Ask the house")
    assert [result.is_error for message in chat.messages for result in results_of(message)] == [True]
    assert [tool["function"]["name"] for tool in chat.tools] == ["heat"]
    (request,) = chat.recorded
    assert (request.input_tokens, request.cache_read_tokens, request.output_tokens) == (74, 70, 9)
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_a_summary_begins_the_context_anew() -> None:
    data = dumps(session(said("user", "Warm?"), {"summary": "It was asked for warmth."}, said("assistant", "No.")))
    (chat,) = import_bytes(data).conversations
    assert [text_of(message) for message in chat.messages] == ["Session Summary: It was asked for warmth.", "No."]
    assert not chat.messages[0].typed
    assert len(import_bytes(data, whole=True).conversations[0].messages) == 3


def test_a_session_that_a_task_was_given_to_stands_for_itself() -> None:
    inner = session(said("user", "Measure", agent=""), said("assistant", "19", agent="meter"), id="s-3")
    found = import_bytes(dumps(session(said("user", "Warm?"), {"sub_session": inner}, said("assistant", "No."))))
    assert [(chat.id, chat.is_subagent, len(chat.messages)) for chat in found.conversations] == [
        ("s-2", False, 2),
        ("s-3", True, 2),
    ]


def test_what_the_server_answers_is_the_same_session() -> None:
    flat = {**DOCKER_AGENT, "messages": [item["message"] for item in DOCKER_AGENT["messages"]]}
    found = import_bytes(dumps(flat))
    whole = import_bytes(dumps(DOCKER_AGENT))
    assert found.format == "docker-agent"
    assert [one.parts for one in found.conversations[0].messages] == [
        one.parts for one in whole.conversations[0].messages
    ]


def test_agents_are_named_where_there_are_several_and_parts_are_read() -> None:
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": PIXEL, "detail": "auto"}},
        {"type": "file", "file": {"path": "plan.pdf"}},
        {"type": "sound"},
    ]
    found = import_bytes(
        dumps(
            session(
                said("user", "Look", "", multi_content=parts), said("assistant", "A"), said("assistant", "B", "two")
            )
        )
    )
    (chat,) = found.conversations
    assert [type(part) for part in chat.messages[0].parts][1:3] == [ImagePart, FilePart]
    assert len(chat.messages[0].parts) == 4
    assert [message.name for message in chat.messages[1:]] == ["root", "two"]


def test_what_is_no_item_is_listed() -> None:
    found = import_bytes(dumps(session(said("user", "Warm?"), said("judge", "No."), {"cost": 2})))
    assert [(item.where, item.why) for item in found.skipped] == [
        ("the object, item 3", "no message in the item"),
        ("the object, item 2", "no known role"),
    ]
    rows = [
        {"session_id": "s", "position": 0, "item_type": "message", "message_json": '{"role": "user", "content": "a"}'},
        {"session_id": "s", "position": 1, "item_type": "message", "message_json": "{broken"},
    ]
    sessions = [{"id": "s", "title": "T", "parent_id": "r"}]
    found = import_bytes(database({"sessions": sessions, "session_items": rows}))
    assert [item.why for item in found.skipped] == ["no message in the item"]
    assert found.conversations[0].is_subagent
