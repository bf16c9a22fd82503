"""`budgeteer count`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import MESSAGES, Budgeteer
from tests.conformance.counting import reference
from tests.formats.shapes import Session, text_block


def cookbook_tokens(messages: list[dict[str, object]]) -> int:
    """OpenAI's published formula, written again: 3 a message, its texts, 3 for the reply; call ids are free."""
    total = 3
    for message in messages:
        total += 3 + reference.count(str(message["role"])) + reference.count(str(message["content"] or ""))
        calls = message.get("tool_calls", [])
        assert isinstance(calls, list)
        for call in calls:
            total += reference.count(call["function"]["name"]) + reference.count(call["function"]["arguments"])
    return total


def test_a_chat_costs_what_the_published_formula_says(budgeteer: Budgeteer, chat_file: Path) -> None:
    run = budgeteer("count", chat_file, "--json")
    report = json.loads(run.out)
    assert run.status == 0
    assert report["total"]["tokens"] == cookbook_tokens(MESSAGES)
    assert len(report["items"]) == len(MESSAGES)
    assert (report["tokenizer"], report["kind"]) == ("o200k_base", "exact")


def test_the_table_ends_with_the_total(budgeteer: Budgeteer, chat_file: Path) -> None:
    lines = budgeteer("count", chat_file).out.splitlines()
    assert lines[0].split() == ["tokens", "characters", "item", "name"]
    chars = sum(len(text) for one in MESSAGES for text in (one["content"] or 'timetable{"day":"Monday"}',))
    assert lines[-3].split() == [str(cookbook_tokens(MESSAGES)), str(chars), "total"]
    assert lines[-1] == "Counted with o200k_base (exact)."


def test_characters_over_four_have_no_overhead(budgeteer: Budgeteer, chat_file: Path) -> None:
    report = json.loads(budgeteer("count", chat_file, "--tokenizer", "chars/4", "--json").out)
    assert report["overhead"] == []
    assert report["kind"] == "estimated"
    assert [item["tokens"] for item in report["items"]] == [-(-item["chars"] // 4) for item in report["items"]]


def test_a_stand_in_is_named_and_never_called_exact(budgeteer: Budgeteer, chat_file: Path) -> None:
    run = budgeteer("count", chat_file, "--model", "gemini-4-argon")
    assert run.out.endswith("gemma3, a stand-in for Gemini 4 Argon's own tokenizer (estimated).\n")
    run = budgeteer("count", chat_file, "--model", "gemini-2.5-pro")
    told = "gemma3, Gemini 2.5 Pro's own vocabulary; what stands around messages is not published (estimated).\n"
    assert run.out.endswith(told)


def test_a_reconstructed_tokenizer_is_named_and_never_called_exact(budgeteer: Budgeteer, chat_file: Path) -> None:
    run = budgeteer("count", chat_file, "--model", "claude-opus-5-5")
    assert run.out.endswith("claude-v4.8, Claude Opus 5.5's own tokenizer as ctok has it (reconstructed).\n")


def test_several_conversations_need_a_choice(budgeteer: Budgeteer, chats_file: Path) -> None:
    run = budgeteer("count", chats_file)
    assert run.status == 2
    assert "holds 3 conversations. Choose one, for example" in run.err
    assert [line.split()[0] for line in run.err.splitlines()[1:]] == ["#1", "#2", "#3"]
    assert budgeteer("count", f"{chats_file}#3").status == 0
    assert "has no conversation #4" in budgeteer("count", f"{chats_file}#4").err


def test_a_conversation_beside_its_other_branches_is_the_one_meant(budgeteer: Budgeteer, tmp_path: Path) -> None:
    session = Session()
    session.user("u1", "Start")
    session.assistant("a1", text_block("Yes."), message_id="m1")
    session.user("u2", "First try")
    session.last = "a1"
    session.user("u3", "Second try")
    file = tmp_path / "session.jsonl"
    file.write_bytes(session.data)
    report = json.loads(budgeteer("import", file, "--json").out)
    assert [row.get("branchOf") for row in report["conversations"]] == [None, "s-1"]
    assert report["counts"]["messages"] == 4
    counted = [json.loads(budgeteer("count", f"{file}{which}", "--json").out) for which in ("", "#1", "#2")]
    assert counted[0] == counted[1] != counted[2]


def test_a_skills_body_is_shown_apart(budgeteer: Budgeteer, skills_folder: Path) -> None:
    report = json.loads(budgeteer("count", skills_folder, "--json").out)
    assert len(report["items"]) == 12
    assert all(item["bodyTokens"] > 0 for item in report["items"])
    parts = [*report["items"], *report["overhead"]]
    assert report["total"] == {key: sum(part[key] for part in parts) for key in ("tokens", "chars")}


def test_tools_and_features_and_texts_are_counted(
    budgeteer: Budgeteer, tools_file: Path, features_folder: Path, tmp_path: Path
) -> None:
    assert json.loads(budgeteer("count", tools_file, "--json").out)["kind"] == "exact"
    assert json.loads(budgeteer("count", tools_file, "--model", "o3", "--json").out)["kind"] == "estimated"
    assert len(json.loads(budgeteer("count", features_folder, "--json").out)["items"]) == 2
    note = tmp_path / "note.txt"
    text = "Nothing but a note, é."
    note.write_text(text, encoding="utf-8")
    total = json.loads(budgeteer("count", note, "--json").out)["total"]
    assert total == {"tokens": reference.count(text), "chars": len(text)}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--model", "gpt4o"], "there is no model 'gpt4o'. Did you mean"),
        (["--tokenizer", "gpt2"], "The tokenizer gpt2 is not available"),
        (["--model", "gpt-4o", "--tokenizer", "chars/4"], "give one"),
    ],
)
def test_what_cannot_count_is_refused(budgeteer: Budgeteer, chat_file: Path, options: list[str], sentence: str) -> None:
    run = budgeteer("count", chat_file, *options)
    assert run.status == 2
    assert sentence in run.err
