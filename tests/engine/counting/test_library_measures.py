"""Measures: what is counted once at import is what stands in the prompt."""

import threading

import numpy as np
import pytest

from budgeteer.engine.content.conversation import (
    ImagePart,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import (
    FeatureSpec,
    Skill,
    ToolDefinition,
    compact_json,
)
from budgeteer.engine.counting.library_measures import (
    STRETCH,
    NotMeasured,
    SkillMeasures,
    Table,
    feature_text,
    fresh_rows,
    measure_features,
    measure_skills,
    measure_tools,
    overlapping_rows,
    skill_description,
    table_of,
)
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_messages
from budgeteer.engine.counting.shortening import minify_description
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.providers.capabilities import Loss
from budgeteer.engine.providers.registry import PROVIDERS

COUNTER = counter_for("o200k_base")


def test_a_skill_is_measured_in_pieces_with_its_minified_description() -> None:
    skill = Skill("a<b", "This skill helps you to  do things.", "git/commit/SKILL.md", body="Body", file_bytes=99)
    measures = measure_skills([skill], counter=COUNTER)
    short = skill_description(minify_description(skill.description))
    assert measures.head_chars[0] == len("<skill>\n<name>a&lt;b</name>\n")
    assert measures.minified_tokens[0] == COUNTER.count(short)
    assert measures.file_bytes[0] == 99
    assert measures.body_tokens[0] == COUNTER.count("Body")


@pytest.mark.parametrize("stretches", [[[[1, 2]], [[3, 4], [5, 6]]], [[[1, 2], [3, 4], [5, 6]]]])
def test_a_table_of_stretches_gives_its_columns_without_copying(stretches: list[Table]) -> None:
    table = table_of(3, stretches)
    assert table.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert np.ascontiguousarray(table[:, 1]).base is table


@pytest.mark.parametrize("stretches", [[], [[[1]]], [[[1]], [[2]], [[3]]]])
def test_a_table_has_the_rows_it_was_asked_for(stretches: list[Table]) -> None:
    with pytest.raises(ValueError, match=r"2 rows were asked for|could not broadcast"):
        table_of(2, stretches)


def test_a_tool_is_measured_in_every_form() -> None:
    tool = ToolDefinition("t", "d", {"type": "object"}, "mcp", {"name": "t"})
    columns = measure_tools([tool], counter=COUNTER).to_arrays()
    assert len(columns) == 4 * len(PROVIDERS)
    for provider in PROVIDERS.values():
        text = compact_json(provider.tools.rendered(tool))
        sizes = [columns[f"{provider.column_prefix}_{name}"][0] for name in ("tokens", "chars")]
        assert sizes == [COUNTER.count(text), len(text)]


def test_a_feature_is_measured_alone_and_before_a_blank_line() -> None:
    feature = FeatureSpec("a.md", "A", "", "Text.")
    measures = measure_features([feature], counter=COUNTER)
    text = feature_text(feature)
    assert (measures.tokens[0], measures.followed_tokens[0]) == (COUNTER.count(text), COUNTER.count(text + "\n\n"))


def test_a_message_is_measured_for_every_provider() -> None:
    call = Message("assistant", (ReasoningPart("thinking"), TextPart("ok"), ToolCallPart("a", "run", '{"x":1}')))
    picture = ImagePart({"image_url": "https://example.org/a.png", "type": "input_image"}, 200, 200)
    answer = Message("tool", (ToolResultPart("a", (TextPart("done"), picture)),))
    measures = measure_messages([call, answer], counter=COUNTER)
    spoken = sum(COUNTER.count(text) for text in ("ok", "run", '{"x":1}'))
    assert measures.of("openai-chat").tokens[0] == spoken
    assert measures.of("openai-chat").before_tokens[0] == spoken + COUNTER.count("thinking")
    assert measures.of("openai-chat").loss.tolist() == [int(Loss.REASONING), int(Loss.MEDIA)]
    assert measures.of("openai-chat").tokens[1] == COUNTER.count("done")
    assert measures.of("anthropic").tokens[1] == COUNTER.count("done") + 54
    assert measures.of("openai-responses").tokens[1] == COUNTER.count("done") + 255
    # Gemini takes no address inside a result.
    assert measures.of("gemini").tokens[1] == COUNTER.count("done")
    assert measures.images.tolist() == [0, 1]


def test_arguments_are_counted_as_they_are_sent() -> None:
    call = Message("assistant", (ToolCallPart("a", "run", '{ "x" : 1 }'),))
    measures = measure_messages([call, Message("tool", (ToolResultPart("a", ()),))], counter=COUNTER)
    assert measures.of("openai-chat").chars[0] == measures.of("openai-responses").chars[0] == len('run{ "x" : 1 }')
    assert measures.of("anthropic").chars[0] == measures.of("gemini").chars[0] == len('run{"x":1}')
    assert measures.of("gemini").tokens[0] == COUNTER.count("run") + COUNTER.count('{"x":1}')


def test_what_does_not_pair_up_has_no_size_left() -> None:
    lost = Message("tool", (ToolResultPart("nobody", (TextPart("lost"),)),))
    open_call = Message("assistant", (TextPart("go"), ToolCallPart("z", "run", "{}")))
    measures = measure_messages([lost, open_call], counter=COUNTER)
    assert measures.of("openai-chat").loss.tolist() == [int(Loss.NO_CALL | Loss.EMPTY), int(Loss.UNANSWERED_CALL)]
    assert measures.of("openai-chat").tokens.tolist() == [0, COUNTER.count("go")]


def test_columns_survive_being_kept_and_read_back() -> None:
    messages = [Message("user", (TextPart("hello"),), name="ann"), Message("developer", (TextPart("rules"),))]
    measures = measure_messages(messages, counter=COUNTER)
    again = MessageMeasures.from_arrays(measures.to_arrays())
    assert all(
        np.array_equal(a, b) for a, b in zip(measures.to_arrays().values(), again.to_arrays().values(), strict=True)
    )
    assert measures.named.tolist() == [1, 0]
    assert measures.system_tokens.tolist() == [0, COUNTER.count("rules")]
    assert measures.followed_tokens.tolist() == [0, COUNTER.count("rules\n\n")]
    assert len(measures.joined(again)) == 4
    assert len(measures.taken(slice(1, 2))) == 1


def test_nothing_is_measured_as_nothing() -> None:
    assert len(SkillMeasures.of_rows([])) == 0
    assert len(measure_messages([], counter=COUNTER)) == 0


def test_progress_is_reported_through_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    skills = [Skill(f"s{n}", "d", f"s{n}/SKILL.md") for n in range(450)]
    measure_skills(skills, counter=COUNTER, progress=lambda done, total: seen.append((done, total)))
    messages = [Message("user", (TextPart("x"),))] * 3
    measure_messages(messages, counter=COUNTER, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(200, 450), (400, 450), (450, 450), (3, 3)]


def test_rows_are_made_in_stretches_that_are_put_together_in_order() -> None:
    made: list[tuple[int, int]] = []

    def make(start: int, stop: int) -> Table:
        made.append((start, stop))
        return np.array([(at, at * at) for at in range(start, stop)], np.int64).reshape(stop - start, 2)

    count = 2 * STRETCH + 3
    table = fresh_rows(count, make)
    assert made == [(0, STRETCH), (STRETCH, 2 * STRETCH), (2 * STRETCH, count)]
    assert np.array_equal(table, make(0, count))
    told: list[tuple[int, int]] = []
    nothing = fresh_rows(0, make, progress=lambda done, total: told.append((done, total)))
    assert (np.shape(nothing), told) == ((0, 2), [])


def test_two_stretches_are_made_at_once_and_stand_in_order() -> None:
    both = threading.Barrier(2)

    def make(start: int, stop: int) -> Table:
        if start < 2 * STRETCH:
            both.wait(timeout=60)
        return np.array([(at, at * at) for at in range(start, stop)], np.int64).reshape(stop - start, 2)

    count = 2 * STRETCH + 3
    assert np.array_equal(overlapping_rows(count, make), [(at, at * at) for at in range(count)])


def test_what_a_stretch_raises_ends_the_table() -> None:
    def make(start: int, stop: int) -> Table:
        if start:
            raise NotMeasured("rows of the second stretch")
        return np.zeros((stop - start, 2), np.int64)

    with pytest.raises(NotMeasured, match="second stretch"):
        overlapping_rows(2 * STRETCH, make)


@pytest.mark.parametrize(("count", "stretches"), [(3, [1, 1]), (1, []), (2, [0])])
def test_a_table_with_rows_missing_is_refused(count: int, stretches: list[int]) -> None:
    rows = [np.zeros((size, 2), np.int64) for size in stretches]
    with pytest.raises(ValueError, match=rf"^{count} rows were asked for, and {sum(stretches)} made$"):
        table_of(count, rows)
