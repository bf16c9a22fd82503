"""Mappings: guessed, checked, written and read; and what an unknown file is said to look like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of, text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.mapping.field_mapping import PATHS, FieldMapping, mapping_from_json, mapping_from_text
from budgeteer.formats.mapping.guessing import guess_mapping
from budgeteer.formats.mapping.mapped_reader import MAPPED, mapped_format, preview
from budgeteer.formats.mapping.paths import nodes, step
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.registry import registry
from budgeteer.formats.unknown_json import SIGNATURES, UnknownShape
from tests.examples import examples
from tests.formats.shapes import dumps, jsonl

ROBOT: dict[str, Any] = {
    "version": 2,
    "sessions": [
        {
            "title": "Ferry",
            "turns": [
                {"who": "HUMAN", "words": "Where is the ferry now?", "when": "2026-01-01T10:00:00Z"},
                {
                    "who": "ROBOT",
                    "words": "Let me look that up.",
                    "acts": [{"tool": "look", "args": {"q": "ferry"}, "id": "c1", "result": "At the quay"}],
                },
                {"who": "ROBOT", "words": "It is at the quay."},
                {"who": "JANITOR", "words": "I swept the floor."},
            ],
        },
        {"title": "Crane", "turns": [{"who": "HUMAN", "words": "And the crane?"}]},
    ],
}
EVENTS = [
    {"author": {"kind": "customer"}, "body": {"text": "My order is late, where is it?"}},
    {
        "author": {"kind": "bot"},
        "body": {"text": "I look."},
        "calls": [{"name": "order", "input": {"n": 1}, "id": "k"}],
    },
    {"author": {"kind": "tool"}, "body": {"text": "Three days late."}, "call_id": "k"},
    {"author": {"kind": "bot"}, "body": {"text": "It is three days late."}},
]


def refused(data: bytes, name: str = "robot.json") -> UnknownShape:
    with pytest.raises(UnknownShape) as caught:
        import_bytes(data, name=name)
    return caught.value


def guessed(value: Any) -> FieldMapping:
    mapping = guess_mapping(value)
    assert mapping is not None
    return mapping


def by_mapping(data: bytes, mapping: FieldMapping, **options: Any) -> Imported:
    return import_bytes(data, as_format=MAPPED, own=[mapped_format(mapping)], **options)


def test_a_refusal_says_what_the_file_looks_like_and_how_it_may_be_read() -> None:
    error = refused(dumps(ROBOT))
    assert error.found.keys == ("version", "sessions")
    assert error.found.mapping == FieldMapping(
        title="robot",
        conversations="$.sessions[*]",
        messages="$.turns[*]",
        role="$.who",
        roles={"HUMAN": "user", "ROBOT": "assistant"},
        text="$.words",
        calls="$.acts[*]",
        call_name="$.tool",
        call_arguments="$.args",
        call_id="$.id",
        call_result="$.result",
        created="$.when",
    )
    assert "mapping" in error.mend
    data = error.to_json()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["unknown"]["mapping"]["role"] == "$.who"


def test_speakers_whose_names_say_nothing_are_guessed_by_the_name_of_their_field() -> None:
    roles = ("planner", "critic", "narrator", "critic")
    rows = [{"role": role, "content": f"{role} says number {at}"} for at, role in enumerate(roles)]
    mapping = refused(dumps(rows)).found.mapping
    assert mapping is not None
    assert (mapping.role, mapping.roles) == (
        "$.role",
        {"planner": "user", "critic": "assistant", "narrator": "assistant"},
    )
    (chat,) = by_mapping(dumps(rows), mapping).conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "assistant", "assistant"]
    # Beside speakers that are known, others are named by the report, and the mapping is for its writer to mend.
    known = guessed([{"who": who, "words": "so it was said"} for who in ("human", "critic", "human")])
    assert known.roles == {"human": "user"}
    assert guessed([{"role": f"r{at}", "content": "so it was said"} for at in range(5)]).role == ""


def test_the_nearest_format_and_the_maker_are_named_with_what_differs() -> None:
    near = refused(dumps({"chat_messages": [{"sender": "x1", "body": "hm"}, {"sender": "x2", "body": "ha"}]}))
    assert (near.found.nearest, near.found.has, near.found.lacks) == (
        "claude-ai",
        ("chat_messages", "sender"),
        ("text",),
    )
    assert "it is most like claude-ai: it has `chat_messages`, `sender` and lacks `text`" in near.sentence
    slack = refused(dumps([{"ts": "1", "user": "U1", "blocks": [], "client_msg_id": "a"}]))
    assert "it may come from Slack" in slack.sentence
    assert near.found.mapping is not None
    assert near.found.mapping.role == ""
    assert slack.found.mapping is None


def test_what_a_mapping_reads() -> None:
    found = by_mapping(dumps(ROBOT), guessed(ROBOT))
    first, second = found.conversations
    assert [(message.role, text_of(message)) for message in first.messages] == [
        ("user", "Where is the ferry now?"),
        ("assistant", 'Let me look that up.\nlook {"q":"ferry"}'),
        ("tool", "At the quay"),
        ("assistant", "It is at the quay."),
    ]
    assert (first.title, second.title) == ("Ferry", "Crane")
    assert first.messages[0].created == "2026-01-01T10:00:00Z"
    assert [(item.where, item.why) for item in found.skipped] == [
        ("conversation 1, message 4", "the mapping has no role for 'JANITOR'")
    ]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


@pytest.mark.parametrize("data", [dumps(EVENTS), jsonl(*EVENTS)])
def test_a_list_and_lines_are_read_alike_with_results_behind_their_calls(data: bytes) -> None:
    (chat,) = by_mapping(data, guessed(EVENTS)).conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert calls_of(chat.messages[1])[0].id == results_of(chat.messages[2])[0].call_id == "k"
    assert preview(EVENTS, guessed(EVENTS)) == list(chat.messages)


def test_lines_that_hold_a_conversation_each() -> None:
    rows = [
        {"dialog": [{"speaker": "human", "utterance": f"Hello {at}"}, {"speaker": "bot", "utterance": "Yes?"}]}
        for at in range(3)
    ]
    mapping = guessed(rows)
    assert (mapping.conversations, mapping.messages) == ("$[*]", "$.dialog[*]")
    assert [len(chat.messages) for chat in by_mapping(jsonl(*rows), mapping).conversations] == [2, 2, 2]


def test_a_format_of_ones_own_is_asked_where_no_other_knows_the_file() -> None:
    own = [mapped_format(guessed(ROBOT), name="own-1")]
    found = import_bytes(dumps(ROBOT), own=own)
    assert (found.format, found.reason) == ("own-1", "It fits the mapping “My format”.")
    chat = dumps([{"role": "user", "content": "hi"}])
    assert import_bytes(chat, own=own).format == "openai-chat"


def test_a_mapping_that_finds_nothing_is_refused_by_a_sentence() -> None:
    with pytest.raises(FormatError, match="No “My format” messages were found"):
        by_mapping(dumps({"other": [1]}), guessed(ROBOT))


def test_without_a_role_messages_are_said_in_turn() -> None:
    mapping = FieldMapping("$[*]", text="$.words")
    (chat,) = by_mapping(dumps([{"words": "a"}, {"words": "b"}, {"words": "c"}]), mapping).conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "user"]


def test_a_mapping_goes_through_its_file_unchanged() -> None:
    mapping = guessed(ROBOT)
    assert mapping_from_text(mapping.to_text()) == mapping


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"text": "$..words"}, "text"),
        ({"messages": "$[*,*,*]"}, "messages"),  # a few of these in a row select millions of times
        ({"messages": "$['a','b'][*]"}, "messages"),
        ({"messages": "$.turns[?@.who == 'x']"}, "messages"),
        ({"role": "who["}, "role"),
        ({"role": "$" + ".a" * 200}, "role"),
        ({"created": 3}, "created"),
        ({"messages": ""}, "messages"),
        ({"text": "", "calls": ""}, "text"),
        ({"roles": {"x": "boss"}}, "roles.x"),
        ({"roles": ["x"]}, "roles"),
        ({"colour": "$.a"}, ""),
        ({"budgeteerMapping": 2}, ""),
        ({"text": "$.a | $.b"}, "text"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(change: dict[str, Any], where: str) -> None:
    with pytest.raises(FormatError) as caught:
        mapping_from_json({**guessed(ROBOT).to_json(), **change})
    assert caught.value.where == where
    assert caught.value.mend


@pytest.mark.parametrize("text", ["{", "[" * 5_000, '"x"', "{}", "x" * 30_000])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        mapping_from_text(text, where="m.json")


@given(st.text(min_size=1, max_size=20).filter(str.isprintable))
def test_any_printable_key_can_be_a_step_of_a_path(key: str) -> None:
    assert list(nodes("$" + step(key), {key: 5})) == [5]


NAMES = st.sampled_from(["who", "speaker", "author", "party", "rolle"])
TEXTS = st.sampled_from(["words", "utterance", "said", "inhalt", "body text"])
LISTS = st.sampled_from(["turns", "log", "dialog", "a-b"])
SAID = st.lists(
    st.tuples(st.sampled_from(["human", "assistant"]), st.text(alphabet="abc de", min_size=8, max_size=60)),
    min_size=3,
    max_size=12,
)


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(NAMES, TEXTS, LISTS, SAID, st.integers(0, 2))
def test_generated_shapes_are_guessed_and_read_whole(
    role: str, text: str, listed: str, said: list[tuple[str, str]], depth: int
) -> None:
    value: Any = [{role: who, text: words, "id": f"m-{at}"} for at, (who, words) in enumerate(said)]
    for _ in range(depth):
        value = {listed: value, "version": "1"}
    mapping = guessed(value)
    (chat,) = by_mapping(dumps(value), mapping).conversations
    told = [("user" if who == "human" else "assistant", words) for who, words in said]
    assert [
        (one.role, "".join(part.text for part in one.parts if isinstance(part, TextPart))) for one in chat.messages
    ] == told


KEYS = st.sampled_from(["a", "role", "text", "\x00", "calls", "'"])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=examples(300), deadline=None)
@given(JSON)
def test_any_json_is_read_or_refused_as_data(value: Any) -> None:
    try:
        import_bytes(json.dumps(value).encode())
    except UnknownShape as error:
        stored = json.dumps(error.to_json(), allow_nan=False)
        assert "\\u0000" not in stored
        mapping = error.found.mapping
        if mapping is not None:
            assert mapping_from_json(mapping.to_json()) == mapping
            preview(error.found.sample, mapping)
    except FormatError:
        pass


def test_every_signature_is_of_a_format_and_every_path_of_a_mapping() -> None:
    assert SIGNATURES.keys() <= {row.name for row in registry().formats}
    assert PATHS.keys() <= FieldMapping("$").to_json().keys()
