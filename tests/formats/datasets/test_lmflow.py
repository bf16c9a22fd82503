"""LMFlow's data sets: pairs, several conversations, tools that are texts, and what is refused."""

from __future__ import annotations

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.datasets import LMFLOW
from tests.formats.shapes import dumps
from tests.formats.test_makers import told


def test_pairs_are_conversations_of_two_messages() -> None:
    pairs = [{"input": "Which ferry leaves first?", "output": "Oslo."}, {"input": "And last?", "output": "Kiel."}]
    found = import_bytes(dumps({"type": "text2text", "instances": pairs}))
    assert found.format == "lmflow"
    assert [told(chat)[0] for chat in found.conversations] == [list(pair.values()) for pair in pairs]


def test_tools_that_are_texts_and_empty_instances_are_said() -> None:
    (row,) = LMFLOW["instances"]
    rows = [{**row, "tools": ["times(line): the timetable"]}, {"messages": []}, 3]
    found = import_bytes(dumps({"type": "conversation", "instances": rows}))
    assert "Tools that are described by a text alone, left out: 1" in found.warnings
    assert [item.where for item in found.skipped] == ["the object, instance 3", "the object, instance 2"]
    assert found.conversations[0].id == "7"


def test_instances_of_another_type_are_none_of_its_conversations() -> None:
    with pytest.raises(FormatError, match="No LMFlow messages"):
        import_bytes(dumps({"type": "text_only", "instances": [{"text": "A tide table."}]}), as_format="lmflow")
