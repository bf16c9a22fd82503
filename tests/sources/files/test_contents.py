from __future__ import annotations

import datetime as dt
import io
from dataclasses import replace

from budgeteer.engine.content.conversation import Conversation, Message, RecordedRequest, TextPart
from budgeteer.engine.content.library import Chunk, FeatureSpec, Skill, ToolDefinition
from budgeteer.engine.content.usage_order import Use
from budgeteer.formats.messages.imported import Findings, Imported, Skipped
from budgeteer.formats.registry import registry
from budgeteer.sources.files.contents import MAIN_STREAM, Contents, plain, recorded_of, report_of, streams_of
from budgeteer.sources.files.item_store import ItemReader, write_items
from budgeteer.sources.services import formats, look_at


def kept(imported: Imported) -> Contents:
    file = io.BytesIO()
    write_items(file, streams_of(imported))
    return Contents(ItemReader(lambda: io.BytesIO(file.getvalue())))


def message(text: str) -> Message:
    return Message("user", (TextPart(text),), id=text, line=3)


def test_conversations_come_back_as_they_were():
    talks = (
        Conversation("a", "First", (message("one"), message("two")), tools=({"name": "t"},), model="gpt-4o"),
        Conversation("b", "Second", (message("three"),), reported_input_tokens=9, branches=2, is_subagent=True),
        Conversation(
            "c",
            "Third",
            (message("four"),),
            recorded=(RecordedRequest(1, 9, 4, 2, 3, None, "model-b", 110, other_server=True, program="2.1"),),
        ),
    )
    found = kept(Imported("openai-chat", "because", "conversation", conversations=talks))
    for index, talk in enumerate(talks):
        back = found.conversation(index)
        assert list(back.messages) == list(talk.messages)
        assert (back.id, back.title, back.tools, back.model) == (talk.id, talk.title, talk.tools, talk.model)
        assert (back.reported_input_tokens, back.branches) == (talk.reported_input_tokens, talk.branches)
        assert back.is_subagent == talk.is_subagent
        assert back.recorded == talk.recorded
    assert found.conversation(3) is None


def test_what_was_recorded_is_read_by_a_version_before_and_from_one():
    """While a dashboard is upgraded, processes of the version before read what those of this one import."""
    request = RecordedRequest(1, 9, 4, 2, 3, None, "model-b", 110, program="2.1", files_unread=True)
    talk = Conversation("c", "Ferry", (message("one"),), recorded=(request,))
    row = kept(Imported("f", "", "conversation", conversations=(talk,))).conversation_row(0)
    assert row is not None
    assert RecordedRequest(*row["recorded"][0]) == RecordedRequest(1, 9, 4, 2, 3, None, "model-b")
    assert [len(values) for values in row["recorded"]] == [7]
    assert [len(values) for values in row["recorded_more"]] == [4]
    earlier = {key: value for key, value in row.items() if key != "recorded_more"}
    assert recorded_of(earlier) == (RecordedRequest(1, 9, 4, 2, 3, None, "model-b"),)
    before = {key: value for key, value in row.items() if key != "recorded_marks"}
    assert recorded_of(before) == (replace(request, files_unread=False),)
    assert recorded_of(row) == (request,)


def test_libraries_come_back_as_they_were():
    imported = Imported(
        "skills",
        "because",
        "skills",
        skills=(Skill("a", "does a", "a/SKILL.md", body="Body", file_bytes=9, metadata={"tags": ["x"]}),),
        tools=(ToolDefinition("t", "does t", {"type": "object"}, "mcp", {"name": "t"}),),
        features=(FeatureSpec("f.md", "F", "Short", "# F"),),
        chunks=(Chunk("text", id="c", score=0.5, source="s"),),
        text="plain",
        skipped=(Skipped("line 3", "not JSON", "{oops"),),
    )
    found = kept(imported)
    assert (found.skills(), found.tools(), found.features()) == (imported.skills, imported.tools, imported.features)
    assert (found.chunks(), found.text(), found.skipped()) == (imported.chunks, "plain", list(imported.skipped))


def test_what_json_cannot_hold_becomes_its_text():
    assert plain({1: (dt.date(2026, 1, 2), {"a"})}) == {"1": ["2026-01-02", ["a"]]}


def test_the_report_groups_the_skipped_by_reason_most_common_first():
    skipped = [Skipped("line 1", "odd"), Skipped("line 2", "not JSON"), Skipped("line 3", "not JSON")]
    report = report_of(
        Imported("text", "because", "text", skipped=tuple(skipped), findings=Findings(said=("merged 2",)))
    )
    assert report["skipped"] == [{"why": "not JSON", "count": 2}, {"why": "odd", "count": 1}]
    assert report["findings"]["said"] == ["merged 2"]


def test_a_usage_file_comes_back_as_it_was():
    used = Imported("usage", "because", "usage", usage={"git-commit": Use(3, 1.5e9), "pdf": Use(1)})
    assert kept(used).usage() == dict(used.usage)
    assert kept(Imported("text", "because", "text", text="x")).usage() == {}


def test_every_format_is_offered_and_makes_a_source():
    assert formats() == registry().formats
    assert {row.kind for row in formats()} == set(MAIN_STREAM)
    assert look_at('{"git-commit": 3}').usage == {"git-commit": Use(3)}
