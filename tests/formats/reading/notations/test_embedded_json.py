"""Pages and Markdown files around JSON are read as the JSON; any others stay the text they are."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest

from budgeteer.formats.detect import import_bytes
from budgeteer.formats.reading.notations.embedded_json import embedded_json
from tests.formats.shapes import zipped

TALK: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "When does the ferry to Rissa leave, and is there room for a van of six metres?"},
        {"role": "assistant", "content": "At ten past, every hour. Vans of up to seven metres are let on board."},
    ]
}
EXPORT = [
    {
        "title": "Ferries",
        "current_node": "b",
        "mapping": {
            "a": {"message": {"author": {"role": "user"}, "content": {"parts": ["When?"]}}, "children": ["b"]},
            "b": {"message": {"author": {"role": "assistant"}, "content": {"parts": ["At ten."]}}, "parent": "a"},
        },
    }
]
PAGE = (
    "<html>\n<head><style>p { margin: 1px }</style><script>\nvar jsonData = %s;\nvar assetsJson = {};\n</script></html>"
)
NOTES = "# Ferries\n\n- id: 7\n- date: 2026-02-01\n\n```json\n%s\n```\n"


def said(data: str, name: str = "") -> tuple[str, list[str]]:
    found = import_bytes(data.encode(), name=name)
    messages = [message for chat in found.conversations for message in chat.messages]
    return found.format, [part.text for message in messages for part in message.parts]  # type: ignore[union-attr]


@pytest.mark.parametrize("dump", [json.dumps(TALK), json.dumps(TALK, indent=2)])
def test_a_markdown_file_around_a_block_of_json_is_read_as_the_json(dump: str) -> None:
    form, words = said(NOTES % dump, "ferries.md")
    assert (form, len(words)) == ("openai-chat", 2)
    assert words[0].startswith("When does the ferry")


def test_a_markdown_file_with_more_than_the_block_stays_a_text() -> None:
    found = import_bytes((NOTES % json.dumps(TALK) + "A ferry is a ship. " * 20).encode(), name="ferries.md")
    assert found.kind == "text"


@pytest.mark.parametrize("value", [{"name": "ferry", "seats": [1, 2, 3]}, [1, 2, 3], {}])
def test_json_that_is_no_conversation_stays_a_text(value: Any) -> None:
    assert import_bytes((NOTES % json.dumps({"d": value, "e": "x" * 300})).encode(), name="a.md").kind == "text"


def test_a_block_that_is_cut_off_stays_a_text() -> None:
    assert import_bytes((NOTES % json.dumps(TALK))[:-40].encode(), name="a.md").kind == "text"


def test_the_page_of_an_export_of_chatgpt_is_read_as_the_export() -> None:
    assert said(PAGE % json.dumps(EXPORT), "chat.html") == ("chatgpt", ["When?", "At ten."])


def test_what_stands_around_is_told() -> None:
    found = import_bytes((PAGE % json.dumps(EXPORT)).encode(), name="chat.html")
    assert any("What stands around the JSON" in sentence for sentence in found.warnings)


def test_the_page_is_read_in_an_archive_only_where_the_export_is_missing() -> None:
    page, export = PAGE % json.dumps(EXPORT), json.dumps(EXPORT)
    for files, chats in (
        ({"chat.html": page}, 1),
        ({"chat.html": page, "conversations.json": export}, 1),
        ({"chat.html": page, "conversations-000.json": export}, 1),
        ({"old/chat.html": page, "new/conversations.json": export}, 2),
    ):
        assert len(import_bytes(zipped(dict(files))).conversations) == chats, list(files)


def test_the_data_of_a_page_are_read_where_they_are_most_of_it() -> None:
    script = '<html><body><script id="d" type="application/json">%s</script></body></html>'
    props = json.dumps({"props": {"data": TALK}})
    assert said(script % props)[0] == "openai-chat"
    packed = base64.b64encode(json.dumps(TALK).encode()).decode()
    assert said(script % packed)[0] == "openai-chat"
    assert import_bytes((script % props + "<p>Ferry</p>" * 60).encode()).kind == "text"


@pytest.mark.parametrize("data", ["[", "[{]", '{"a": ', "[" * 5_000, "{}"])
def test_pages_with_damaged_data_are_no_conversations(data: str) -> None:
    page = f"<html><script>let data = {data}</script><script>const more = {data}</script></html>"
    assert import_bytes(page.encode()).kind == "text"


@pytest.mark.parametrize(
    "text",
    [
        "<html>" + "x" * 500_000 + "var a = {" * 60_000,
        "<html>" + "var a = {" * 60_000 + "</script>" + "x" * 600_000,
        "<html>" + "<script " * 60_000,
        "<html><script>" + "var jsonData = [" * 40_000,
    ],
)
def test_pages_full_of_what_may_be_data_are_looked_at_in_time(text: str) -> None:
    begun = time.perf_counter()
    assert embedded_json(text, 100) is None
    assert time.perf_counter() - begun < 2
