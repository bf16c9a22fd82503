"""Kimi Code's context: what was recorded of steps, compactions, prompts undone, contexts cleared."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from budgeteer.engine.content.conversation import ReasoningPart, TextPart, calls_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.examples import examples
from tests.formats.makers.runs import KIMI_CODE, step, typed
from tests.formats.shapes import jsonl, zipped

TALK = [
    typed("one"), *step(1, "first"), typed("a reminder", "injection"), typed("two"), *step(2, "second"),
    typed("three"), *step(3, "third"),
]  # fmt: skip


def said(*lines: dict[str, Any], whole: bool = False) -> list[str]:
    (chat,) = import_bytes(jsonl(*lines), whole=whole).conversations
    return ["".join(part.text for part in message.parts if isinstance(part, TextPart)) for message in chat.messages]


def test_a_step_is_a_message_with_what_was_recorded_of_it() -> None:
    found = import_bytes(jsonl(*KIMI_CODE))
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool", "assistant"]
    parts = chat.messages[2].parts
    assert (parts[0], [call.id for call in calls_of(chat.messages[2])]) == (ReasoningPart("The map knows."), ["Bash_0"])
    assert [(one.position, one.input_tokens, one.cache_read_tokens, one.output_tokens) for one in chat.recorded] == [
        (2, 24_331, 24_064, 42),
        (4, 24_361, 24_331, 5),
    ]
    assert (chat.model, chat.tools[0]["function"]["name"]) == ("kimi-k2.7-code", "Bash")
    assert found.accounting is not None
    assert found.accounting.unread * 20 < found.accounting.characters


def compacted(**more: Any) -> dict[str, Any]:
    return {"type": "context.apply_compaction", "summary": "Up to three.", "compactedCount": 5, **more}


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        (compacted(keptUserMessageCount=8), ["one", "two", "three", "Up to three."]),
        (compacted(keptUserMessageCount=1, contextSummary="Told: up to three."), ["three", "Told: up to three."]),
        (compacted(keptUserMessageCount=2, keptHeadUserMessageCount=1), ["one", "three", "Up to three."]),
        (compacted(), ["Up to three.", "three", "third"]),
        (
            {
                "type": "context.apply_compaction",
                "summary": {"role": "user", "content": [{"type": "text", "text": "Up to two."}]},
                "count": 5,
            },
            ["Up to two.", "three", "third"],
        ),
    ],
)
def test_a_compaction_begins_the_context_with_the_prompts_it_keeps_and_the_summary(
    record: dict[str, Any], kept: list[str]
) -> None:
    assert said(*TALK, record, typed("four")) == [*kept, "four"]
    every = [
        "one",
        "first",
        "a reminder",
        "two",
        "second",
        "three",
        "third",
        kept[-1] if kept[0] != "Up to two." else "",
    ]
    assert said(*TALK, record, typed("four"), whole=True)[:7] == every[:7]


def test_what_was_undone_or_cleared_is_left_out() -> None:
    undone = {"type": "context.undo", "count": 1}
    assert said(*TALK, undone) == ["one", "first", "a reminder", "two", "second"]
    assert said(*TALK, {**undone, "count": 2}, typed("four")) == ["one", "first", "a reminder", "four"]
    assert said(*TALK, {**undone, "count": 9}) == said(*TALK)
    assert said(*TALK, {"type": "context.clear"}, typed("four")) == ["four"]


def obvious(lines: list[dict[str, Any]]) -> list[str]:
    """What is left of prompts, answers, compactions and undone prompts: each looks at every message before it."""
    told: list[tuple[str, str]] = []
    for line in lines:
        kind = line["type"]
        if kind == "context.append_message":
            message = line["message"]
            told.append(("prompt" if message["role"] == "user" else "reply", message["content"][0]["text"]))
        elif kind == "context.undo":
            behind = max((at for at, (of, _) in enumerate(told) if of == "summary"), default=-1)
            prompts = [at for at, (of, _) in enumerate(told) if of == "prompt" and at > behind]
            told = told[: prompts[-line["count"]]] if 0 < line["count"] <= len(prompts) else told
        elif "keptUserMessageCount" in line:
            prompts = [one for one in told if one[0] == "prompt"]
            first = min(line["keptHeadUserMessageCount"], len(prompts))
            last = min(line["keptUserMessageCount"] - first, len(prompts) - first)
            told = [*prompts[:first], *(prompts[-last:] if last > 0 else []), ("summary", line["summary"])]
        else:
            told = [("summary", line["summary"]), *told[line["compactedCount"] :]]
    return [text for _, text in told]


@pytest.mark.parametrize("seed", range(examples(60)))
def test_whatever_is_compacted_and_undone_in_turn_leaves_what_an_obvious_reader_leaves(seed: int) -> None:
    chance = Random(seed)
    lines = [typed("p0")]
    for number in range(1, 40):
        kept = {"keptUserMessageCount": chance.randrange(9), "keptHeadUserMessageCount": chance.randrange(4)}
        reply = {"role": "assistant", "content": [{"type": "text", "text": f"r{number}"}]}
        lines.append(
            chance.choice(
                [
                    typed(f"p{number}"),
                    typed(f"q{number}"),
                    {"type": "context.append_message", "message": reply},
                    {"type": "context.undo", "count": chance.randrange(4)},
                    {"type": "context.apply_compaction", "summary": f"s{number}", **kept},
                    {
                        "type": "context.apply_compaction",
                        "summary": f"s{number}",
                        "compactedCount": chance.randrange(6),
                    },
                ]
            )
        )
        if expected := obvious(lines):
            assert said(*lines) == expected


def test_a_session_in_which_nobody_spoke_yet_is_refused_by_its_name() -> None:
    begun = [
        {"type": "metadata", "protocol_version": "1.4", "created_at": 1},
        {"type": "config.update", "profileName": "agent", "systemPrompt": "You keep the harbour's books."},
        {"type": "permission.set_mode", "mode": "manual", "time": 2},
    ]
    with pytest.raises(FormatError, match="No Kimi Code messages were found"):
        import_bytes(jsonl(*begun))


def test_a_step_that_was_cut_off_says_nothing_and_is_no_message() -> None:
    assert said(*TALK, typed("four"), step(4, "")[0]) == [*said(*TALK), "four"]


def test_records_of_odd_values_are_skipped_or_read() -> None:
    for odd in (None, 7, [], {}, "x", [None]):
        for key in ("message", "event", "type"):
            assert said(*TALK, {**TALK[0], key: odd}, {**TALK[1], key: odd})[:7] == said(*TALK)
        assert said(*TALK, {"type": "context.apply_compaction", "summary": odd, "compactedCount": odd})
        assert said(*TALK, {"type": "context.undo", "count": odd}) == said(*TALK)


@pytest.mark.parametrize(("folder", "sessions"), [("", ["main"]), ("sessions/wd_x/", ["s-1", "s-2"])])
def test_sub_agents_of_a_session_in_an_archive_stand_behind_it(folder: str, sessions: list[str]) -> None:
    files: dict[str, str | bytes] = {}
    for session in sessions:
        place = f"{folder}{session}/agents" if folder else "agents"
        files[f"{place}/agent-0/wire.jsonl"] = jsonl(typed(f"Search for {session}", "subagent"), *step(1, "Found."))
        files[f"{place}/main/wire.jsonl"] = jsonl(typed("Begin"), *step(1, "Done."))
    found = import_bytes(zipped(files)).conversations
    assert [(chat.id.split("#")[0], chat.is_subagent, chat.metadata["session"]) for chat in found] == [
        row for session in sessions for row in ((session, False, session), ("agent-0", True, session))
    ]
    assert [chat.title for chat in found if chat.is_subagent] == [f"Search for {session}" for session in sessions]
