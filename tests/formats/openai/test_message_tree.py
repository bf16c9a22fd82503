"""Messages that name the one before them: which lists are trees, and how their branches are read."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl


def said(given: str, above: str | None, role: str, text: str) -> dict[str, Any]:
    return {"id": given, "parentId": above, "role": role, "content": text}


TREE = [
    said("a", None, "user", "Is it late?"),
    said("b", "a", "assistant", "No."),
    said("c", "a", "assistant", "Ten minutes."),
    said("d", "c", "user", "Why?"),
    said("e", "c", "user", "Since when?"),
    said("f", "e", "assistant", "Since noon."),
]


def told(data: bytes) -> list[list[str]]:
    return [[text_of(each) for each in chat.messages] for chat in import_bytes(data).conversations]


@pytest.mark.parametrize("data", [dumps(TREE), jsonl(*TREE), dumps({"messages": TREE})])
def test_the_branch_of_the_last_message_is_read_and_the_others_behind_it(data: bytes) -> None:
    assert told(data) == [
        ["Is it late?", "Ten minutes.", "Since when?", "Since noon."],
        ["Is it late?", "No."],
        ["Is it late?", "Ten minutes.", "Why?"],
    ]
    found = import_bytes(data)
    assert found.conversations[0].branches == 2
    assert any(line.startswith("Other branches in the file: 2") for line in found.warnings)


@pytest.mark.parametrize(
    "messages",
    [
        TREE[:2],
        [*TREE[:3], {"role": "user", "content": "Without an id"}],
        [*TREE[:3], said("c", "a", "assistant", "An id twice")],
        [*TREE[:3], said("d", "x", "user", "Below what is not there")],
        [said("a", None, "user", "x"), said("b", "a", "assistant", "y"), said("c", "a", "user", "z")],
        [said("a", None, "assistant", "x"), said("b", "a", "tool", "y"), said("c", "a", "tool", "z")],
        [said("a", None, "user", "x"), said("b", "a", "user", "y"), said("c", "a", "user", "z")],
    ],
    ids=["a chain", "no id", "twice", "elsewhere", "two speakers", "results", "one speaker"],
)
def test_what_is_no_tree_is_read_in_the_order_of_the_list(messages: list[dict[str, Any]]) -> None:
    found = import_bytes(dumps(messages))
    assert [len(chat.messages) for chat in found.conversations] == [len(messages)]
