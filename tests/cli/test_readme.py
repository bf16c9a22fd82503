"""Every command that README.md shows does what it says, over files of the names it gives."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import MESSAGES, Budgeteer
from tests.formats.shapes import OPENAI_TOOL, Session, skill, text_block, zipped

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


REMOTE = frozenset({"login", "push", "pull"})
"""Commands that talk to a dashboard: tests/serve/test_http_api.py runs them against one."""


def commands() -> list[list[str]]:
    """The words of every command that needs no dashboard, without its comment and where its output goes."""
    block = README.partition("## On the command line")[2].split("```")[1].replace("\\\n", " ")
    lines = [re.split(r" [#>] ", line)[0] for line in block.splitlines() if line.strip()]
    return [words for words in map(shlex.split, lines) if words[1] not in REMOTE]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("sessions", ".claude/projects"):
        Path(name).mkdir(parents=True)
    recorded = Session()
    for turn in range(6):
        recorded.user(f"u{turn}", "How deep is the harbour? " * (turn + 1))
        recorded.assistant(f"a{turn}", text_block("Ten metres. " * 20), message_id=f"m{turn}")
    for path in ("sessions/one.jsonl", ".claude/projects/one.jsonl"):
        Path(path).write_bytes(recorded.data)
    Path("session.jsonl").write_text(json.dumps({"messages": MESSAGES}) + "\n")
    Path("skills.zip").write_bytes(zipped({"moor/SKILL.md": skill("moor", "How to moor.")}))
    Path("tools.json").write_text(json.dumps([OPENAI_TOOL]))
    Path("a.json").write_text('{"model": "gpt-4o"}')
    Path("b.json").write_text('{"model": "gpt-4o", "history": {"strategy": "newestFirst"}}')


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_of_the_readme_works(budgeteer: Budgeteer, words: list[str]) -> None:
    assert words[0] == "budgeteer"
    run = budgeteer(*(str(Path(word).expanduser()) if word.startswith("~") else word for word in words[1:]))
    assert run.status == 0, run.err
    assert run.out


def test_the_readme_shows_commands() -> None:
    assert len(commands()) > 8
