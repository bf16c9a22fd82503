"""`budgeteer import`."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from budgeteer.engine.content.conversation import message_from_json
from tests.cli.conftest import MESSAGES, Budgeteer


def test_the_report_as_json_has_the_shape_of_the_contract(budgeteer: Budgeteer, chat_file: Path) -> None:
    run = budgeteer("import", chat_file, "--json")
    report = json.loads(run.out)
    assert run.status == 0
    assert list(report) == ["format", "reason", "kind", "counts", "conversations", "skipped", "warnings", "accounting"]
    assert report["format"] == "openai-chat"
    assert report["kind"] == "conversation"
    assert report["counts"] == {
        "conversations": 1,
        "messages": 6,
        "toolCalls": 1,
        "toolResults": 1,
        "images": 0,
        "reasoning": 0,
        "skills": 0,
        "tools": 0,
        "features": 0,
        "chunks": 0,
        "usage": 0,
        "skipped": 0,
    }
    (conversation,) = report["conversations"]
    assert set(conversation) == {"id", "title", "messages", "toolCalls", "toolResults", "branches"}


def test_a_person_reads_what_was_found_and_why(budgeteer: Budgeteer, chat_file: Path) -> None:
    run = budgeteer("import", chat_file)
    assert run.out.startswith(f"{chat_file}: a conversation, read as openai-chat\n  It ")
    assert "messages" in run.out


def test_messages_are_printed_in_the_internal_form(budgeteer: Budgeteer, chats_file: Path) -> None:
    lines = budgeteer("import", chats_file, "--messages", "2").out.splitlines()
    messages = [message_from_json(json.loads(line)) for line in lines if line.startswith("{")]
    assert [message.role for message in messages] == [*(one["role"] for one in MESSAGES), "assistant"]
    printed = json.loads(budgeteer("import", chats_file, "--messages", "2", "--json").out)["messages"]
    assert [message_from_json(one) for one in printed] == messages


def test_a_conversation_that_is_not_there_is_refused(budgeteer: Budgeteer, chats_file: Path) -> None:
    run = budgeteer("import", chats_file, "--messages", "4")
    assert run.status == 2
    assert run.err == f"budgeteer: {chats_file}: there is no conversation 4. The file holds 3\n"


def test_folders_and_libraries_are_read(budgeteer: Budgeteer, skills_folder: Path, features_folder: Path) -> None:
    assert json.loads(budgeteer("import", skills_folder, "--json").out)["counts"]["skills"] == 12
    assert json.loads(budgeteer("import", features_folder, "--json").out)["counts"]["features"] == 2


def test_standard_input_is_a_file_like_any_other(budgeteer: Budgeteer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(MESSAGES).encode())))
    assert json.loads(budgeteer("import", "-", "--json").out)["counts"]["messages"] == 6


@cache
def bomb() -> bytes:
    """A zip whose one member unpacks to far more than the allowed ratio."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/SKILL.md", b"\0" * 50_000_000)
    return packed.getvalue()


@cache
def crowd() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"{number}", b"")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.json", b""),
        ("picture.json", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        ("cut.json", json.dumps(MESSAGES).encode()[:-9]),
        ("bomb.zip", bomb),
        ("crowd.zip", crowd),
        ("deep.json", b"[" * 100_000),
    ],
)
@pytest.mark.parametrize("command", [("import",), ("count",), ("pack", "--conversation")])
def test_what_cannot_be_used_is_one_sentence_that_names_the_file(
    budgeteer: Budgeteer, tmp_path: Path, name: str, content: bytes | Callable[[], bytes], command: tuple[str, ...]
) -> None:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content())
    run = budgeteer(*command, file)
    assert run.status == 2
    assert run.out == ""
    assert run.err.startswith(f"budgeteer: {file}: ")
    assert run.err.count("\n") == 1


def test_a_missing_file_and_an_unknown_format_are_named(budgeteer: Budgeteer, chat_file: Path) -> None:
    assert "none.json: cannot be read: No such file" in budgeteer("import", "none.json").err
    assert (
        "There is no format 'openai'. Did you mean openai-chat?" in budgeteer("import", chat_file, "--as", "openai").err
    )


def test_words_that_were_passed_over_are_said_at_the_top(budgeteer: Budgeteer, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_text(json.dumps([{"role": "user", "content": "abc", "annotation": "one two three four"}]))
    lines = budgeteer("import", file).out.splitlines()
    assert lines[2].startswith("  WARNING: 72 % of the text in this file was not read")
    report = json.loads(budgeteer("import", file, "--json").out)
    assert report["accounting"]["isLossy"] is True
    assert report["accounting"]["unreadKeys"] == [{"key": "[].annotation", "characters": 18}]


def test_what_was_left_out_is_a_note(budgeteer: Budgeteer, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    row = {
        "id": "t",
        "question": [[{"role": "user", "content": "x"}]],
        "function": [],
        "initial_config": {"a": "words"},
    }
    file.write_text(json.dumps(row))
    assert "note: Not sent to a model: `initial_config.a` (5" in budgeteer("import", file).out
