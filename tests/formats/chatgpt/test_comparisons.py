"""ChatGPT's comparisons of replies: which one stays, what older exports write, and the export that holds the same."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation, text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.chat_exports import CHATGPT_COMPARISONS, CHATGPT_IN_ORDER
from tests.formats.shapes import dumps, zipped


def said(chat: Conversation) -> list[str]:
    return [text_of(message) for message in chat.messages]


@pytest.mark.parametrize(
    ("rating", "replies"),
    [
        ("new", ["Pier two.", "I cannot say."]),
        ("original", ["I cannot say.", "Pier two."]),
        ("same", ["I cannot say.", "Pier two."]),
    ],
)
@pytest.mark.parametrize("is_bare", [True, False])
def test_the_preferred_reply_stays_and_the_other_is_a_branch(rating: str, replies: list[str], *, is_bare: bool) -> None:
    row: dict[str, Any] = deepcopy(CHATGPT_COMPARISONS[0])
    row["content"]["output"]["feedback_step_2"]["completion_comparison_rating"] = rating
    found = import_bytes(dumps([{"id": "x-1", **row["content"]} if is_bare else row]))
    assert found.format == "chatgpt-comparisons"
    assert [said(chat)[-1] for chat in found.conversations] == replies
    assert [said(chat)[:-1] for chat in found.conversations] == [["You know the harbour.", "Which pier?"]] * 2


def test_a_comparison_without_replies_is_what_was_said_before() -> None:
    row: dict[str, Any] = deepcopy(CHATGPT_COMPARISONS[0])
    row["content"]["output"]["feedback_step_2"] = {"original_turn": [], "new_turn": None}
    (chat,) = import_bytes(dumps([row])).conversations
    assert said(chat) == ["You know the harbour.", "Which pier?"]


def test_comparisons_are_left_out_beside_the_conversations_of_the_export() -> None:
    files = {"model_comparisons.json": dumps(CHATGPT_COMPARISONS), "conversations.json": dumps(CHATGPT_IN_ORDER)}
    found = import_bytes(zipped(files))
    assert [said(chat) for chat in found.conversations] == [["When is low tide?", "At six."]]
    assert [item.where for item in found.skipped] == ["model_comparisons.json"]


def test_ratings_without_texts_are_refused_by_what_they_are() -> None:
    row = {
        "message_id": "a",
        "conversation_id": "c",
        "original_message_id": "a",
        "new_message_id": "b",
        "rating": "new",
    }
    with pytest.raises(FormatError, match="ratings of replies in an export of ChatGPT"):
        import_bytes(dumps([row, row]))
