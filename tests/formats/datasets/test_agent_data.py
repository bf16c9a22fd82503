"""Trajectories of the Agent Data Protocol: what answers what, pictures, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ImagePart, ReasoningPart, TextPart, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.datasets import AGENT_DATA
from tests.formats.shapes import dumps, jsonl


def test_observations_answer_the_action_before_them_and_others_are_said() -> None:
    found = import_bytes(jsonl(*AGENT_DATA * 2), name="std.jsonl")
    chat = found.conversations[0]
    assert (found.format, [one.id for one in found.conversations]) == ("agent-data-protocol", ["tides/1", "tides/1#2"])
    roles = [message.role for message in chat.messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "user", "assistant"]
    assert chat.messages[2].parts[0] == ReasoningPart("A table would have it.")
    assert [message.typed for message in chat.messages if message.role == "user"] == [True, False]
    assert ("Sources of pages beside their trees, left out", 2) in found.findings.counted
    assert found.accounting is not None
    assert found.accounting.unread == 0


def test_pictures_and_agents_who_are_observed_are_read_and_other_items_listed() -> None:
    shown = {"class_": "image_observation", "content": "a.png", "source": "environment", "annotations": [{"text": "x"}]}
    items: list[Any] = [
        {"class_": "api_action", "function": "look", "kwargs": {}, "description": None},
        {"class_": "web_observation", "html": "<p>", "axtree": None, "url": None, "image_observation": shown},
        shown,
        {"class_": "text_observation", "content": "Hello.", "source": "agent", "name": "guide"},
        {"class_": "json_observation", "content": {}},
        "no item",
    ]
    found = import_bytes(dumps([{"id": "a", "content": items, "details": {}}]), as_format="agent-data-protocol")
    (chat,) = found.conversations
    (result,) = results_of(chat.messages[1])
    assert [type(part) for part in result.content] == [TextPart, ImagePart]
    assert [(message.role, message.name) for message in chat.messages[2:]] == [("user", ""), ("assistant", "guide")]
    assert [item.where for item in found.skipped] == ["element 1, item 5", "element 1, item 6"]


@pytest.mark.parametrize(
    "content",
    [[], "text", [{"class_": "x", "content": "y"}], [{"class_": ["text_observation"]}], [{"content": "a"}], [7]],
)
def test_a_content_without_actions_and_observations_is_none(content: Any) -> None:
    with pytest.raises(FormatError):
        import_bytes(dumps([{"id": "a", "content": content, "details": {}}]), as_format="agent-data-protocol")
