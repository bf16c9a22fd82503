"""OpenAssistant: trees of ranked replies, and the same one message a line."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl


def said(name: str, role: str, *replies: dict[str, Any], rank: int | None = None, **more: Any) -> dict[str, Any]:
    ranked = {} if rank is None else {"rank": rank}
    return {"message_id": name, "text": f"Text of {name}", "role": role, "replies": list(replies), **ranked, **more}


TREE = {
    "message_tree_id": "p",
    "tree_state": "ready_for_export",
    "prompt": said(
        "p",
        "prompter",
        said("a2", "assistant", rank=1),
        said("a1", "assistant", said("q", "prompter", said("b", "assistant")), rank=0),
        said("a3", "assistant", rank=2, deleted=True),
    ),
}


def flat(tree: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def walk(message: dict[str, Any], parent: str | None) -> None:
        row = {key: value for key, value in message.items() if key != "replies"}
        rows.append({**row, "parent_id": parent, "message_tree_id": tree["message_tree_id"]})
        for reply in message["replies"]:
            walk(reply, message["message_id"])

    walk(tree["prompt"], None)
    return rows


@pytest.mark.parametrize(
    "data", [dumps([TREE]), jsonl(TREE), dumps(TREE), jsonl(*flat(TREE)), jsonl(*reversed(flat(TREE)))]
)
def test_the_best_ranked_replies_are_the_main_branch(data: bytes) -> None:
    found = import_bytes(data)
    assert found.format == "oasst"
    main, other = found.conversations
    assert [(message.id, message.role) for message in main.messages] == [
        ("p", "user"),
        ("a1", "assistant"),
        ("q", "user"),
        ("b", "assistant"),
    ]
    assert [message.id for message in other.messages] == ["p", "a2"]
    assert (main.id, main.title, main.branches, other.branch_of) == ("p", "Text of p", 1, "p")


def test_a_prompt_that_comes_again_as_another_message_names_nothing() -> None:
    rows = flat(TREE)
    again = {**rows[0], "role": "assistant", "text": "Said instead"}
    found = import_bytes(jsonl(*rows, again))
    assert found.conversations[0].title == "Text of q"
    assert [message.role for message in found.conversations[0].messages] == [
        "assistant",
        "assistant",
        "user",
        "assistant",
    ]


def test_a_blank_prompt_names_nothing() -> None:
    blank = said("p", "prompter", said("a", "assistant", said("q", "prompter"))) | {"text": " "}
    assert [chat.title for chat in import_bytes(dumps([{"prompt": blank}])).conversations] == ["Text of q"]


def test_trees_of_scattered_messages_are_told_apart() -> None:
    second = {"message_tree_id": "z", "prompt": said("z", "prompter", said("y", "assistant", model_name="m-1"))}
    rows = [row for pair in zip(flat(second), flat(TREE), strict=False) for row in pair]
    found = import_bytes(jsonl(*rows))
    assert [(chat.id, len(chat.messages), chat.model) for chat in found.conversations] == [
        ("z", 2, "m-1"),
        ("p", 2, ""),
    ]


def test_a_deleted_message_on_the_way_is_left_out_and_counted() -> None:
    tree = {"prompt": said("p", "prompter", said("a", "assistant", said("q", "prompter"), deleted=True))}
    found = import_bytes(dumps([tree]))
    assert [[message.id for message in chat.messages] for chat in found.conversations] == [["p"], ["p", "q"]]
    assert "Other branches in the file: 1" in found.warnings


def test_trees_that_say_nothing_and_strangers_are_listed() -> None:
    found = import_bytes(dumps([TREE, {"prompt": said("x", "ghost")}, {"a": 1}, TREE]))
    assert [(item.where, item.why) for item in found.skipped] == [
        ("element 2", "every message of it was deleted or has no text"),
        ("element 3", "no prompt with replies, and no message"),
    ]
    with pytest.raises(FormatError, match="No OpenAssistant messages were found"):
        import_bytes(dumps([{"a": 1}]), as_format="oasst")


def test_a_circle_of_parents_ends() -> None:
    rows = [
        {"message_id": "a", "parent_id": "b", "role": "prompter", "text": "A", "message_tree_id": "t"},
        {"message_id": "b", "parent_id": "a", "role": "assistant", "text": "B", "message_tree_id": "t"},
    ]
    with pytest.raises(FormatError):
        import_bytes(jsonl(*rows))


def test_messages_under_openais_names_are_the_same_tree() -> None:
    rows = [
        {"message_id": "a", "parent_id": None, "role": "user", "content": "Is it late?"},
        {"message_id": "b", "parent_id": "a", "role": "assistant", "content": "No.", "rank": 1},
        {"message_id": "c", "parent_id": "a", "role": "assistant", "content": "Ten minutes.", "rank": 0},
    ]
    found = import_bytes(jsonl(*rows))
    assert found.format == "oasst"
    assert [text_of(chat.messages[-1]) for chat in found.conversations] == ["Ten minutes.", "No."]
