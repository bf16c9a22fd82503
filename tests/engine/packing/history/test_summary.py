"""The extractive summary: three headings, within its limit, the same every time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest, extractive_summary

TALK = (
    Message("user", (TextPart("Please make the importer read truncated files, and tell the user where they end."),)),
    Message(
        "assistant",
        (
            TextPart("## Plan\n- Read line by line\n- Report the first bad line\nWe decided to keep what was read."),
            ToolCallPart("1", "read_file", '{"path": "src/importer/lines.py"}'),
        ),
    ),
    Message("tool", (ToolResultPart("1", (TextPart("no such file"),), is_error=True),)),
    Message("user", (TextPart("Also add a test."),)),
)


def test_topics_decisions_and_context_stand_under_their_headings() -> None:
    text = extractive_summary(SummaryRequest(TALK, 2_000, 40))
    assert text.startswith(SUMMARY_LINE)
    assert "Topics discussed:\n- Please make the importer read truncated…\n- Also add a test." in text
    assert "Key decisions:\n- Plan\n- Read line by line\n- Report the first bad line\n- We decided to keep" in text
    assert (
        "Important context:\n- 1 tool calls failed\n- Tools used: read_file (1)\n- Files: src/importer/lines.py" in text
    )


def test_a_topic_with_a_long_first_word_is_named_by_its_opening() -> None:
    talk = (Message("user", (TextPart("x" * 100 + " then words"),)), Message("assistant", (TextPart("- One"),)))
    text = extractive_summary(SummaryRequest(talk, 2_000, 80))
    assert f"Topics discussed:\n- {'x' * 79}…\n" in text


@given(limit=st.integers(0, 3_000), repeats=st.integers(1, 60))
def test_a_summary_is_within_its_limit_or_fails(limit: int, repeats: int) -> None:
    request = SummaryRequest(TALK * repeats, limit, 80)
    try:
        text = extractive_summary(request)
    except SummaryFailed:
        assert limit < 200
    else:
        assert len(text) <= limit
        assert text == extractive_summary(request)


def test_the_newest_bullets_stay_and_the_others_are_counted() -> None:
    talk = tuple(Message("user", (TextPart(f"Topic number {n} of the long talk."),)) for n in range(100))
    text = extractive_summary(SummaryRequest(talk, 1_000, 80))
    assert "Topic number 99" in text
    assert "Topic number 0 " not in text
    assert "more before these)" in text


def test_what_says_nothing_is_no_bullet() -> None:
    talk = (Message("user", (TextPart(" "),)), Message("assistant", (TextPart("Fine.\n- One"),)), *TALK[3:])
    text = extractive_summary(SummaryRequest(talk, 2_000, 80))
    assert text.partition("\n\n")[2] == "Topics discussed:\n- Also add a test.\n\nKey decisions:\n- One"


def test_messages_without_text_cannot_be_summarised() -> None:
    with pytest.raises(SummaryFailed):
        extractive_summary(SummaryRequest((Message("assistant", ()),), 2_000, 80))


def test_the_key_changes_with_the_messages_and_the_limits() -> None:
    keys = {
        SummaryRequest(TALK, 2_000, 80).key,
        SummaryRequest(TALK[1:], 2_000, 80).key,
        SummaryRequest(TALK, 1_000, 80).key,
        SummaryRequest(TALK, 2_000, 40).key,
    }
    assert len(keys) == 4
    assert SummaryRequest(TALK, 2_000, 80).key in keys


def test_what_nothing_can_store_is_replaced() -> None:
    talk = (Message("user", (TextPart("Read the \0 byte and the \ud800 half"),)),)
    text = extractive_summary(SummaryRequest(talk, 2_000, 80))
    assert "Read the \ufffd byte and the \ufffd half" in text
