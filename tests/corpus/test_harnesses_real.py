"""Recorded compactions of real sessions: the replay of the rule compacts before the same requests, within two."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from budgeteer.engine.analysis.replay.harness_replay import HarnessReplay, replay_harnesses
from budgeteer.engine.analysis.replay.requests import reply_rows
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.formats.detect import import_bytes
from tests.corpus.test_packing_real import CORPUS
from tests.engine.analysis.sweep.test_sweep import subject_of

pytestmark = pytest.mark.corpus
WITHIN = 2


def lines_of(folder: str, what: str) -> Iterator[tuple[Path, list[int]]]:
    """The files of a folder with the numbers of their lines that record a compaction."""
    for path in sorted((CORPUS / "conversations" / folder).rglob("*.jsonl")):
        found = [
            number
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if what in line and is_compaction(json.loads(line))
        ]
        if found:
            yield path, found


def is_compaction(line: dict[str, object]) -> bool:
    return line.get("type") == "compacted" or (
        line.get("subtype") == "compact_boundary" and dict(line["compactMetadata"])["trigger"] == "auto"  # type: ignore[call-overload]
    )


def whole(path: Path) -> Conversation:
    talks = import_bytes(path.read_bytes(), name=path.name, whole=True).conversations
    return max(talks, key=lambda talk: len(talk.messages))


def requests_before(subject: Subject, lines: list[int]) -> list[int]:
    """The requests before which these lines stand, counted from 1."""
    replies = np.array([subject.bundle.history[int(row)].line for row in reply_rows(subject.bundle)])
    return [int((replies < line).sum()) + 1 for line in lines]


def replayed(subject: Subject, name: str) -> HarnessReplay:
    return next(one for one in replay_harnesses(subject) if one.name == name)


def test_claude_code_compacts_where_it_did() -> None:
    seen = 0
    for path, lines in lines_of("claude-code", "compact_boundary"):
        subject = subject_of(Inputs(conversation=whole(path)), {"model": "claude-sonnet-4-5", "contextWindow": 200_000})
        recorded = requests_before(subject, lines)
        found = [one.request for one in replayed(subject, "claudeCode").compactions]
        assert abs(found[0] - recorded[0]) <= WITHIN, (path.name, recorded, found)
        seen += 1
    assert seen >= 2


def test_codex_compacts_where_it_did() -> None:
    seen = 0
    for path, lines in lines_of("codex", '"compacted"'):
        talk = whole(path)
        subject = subject_of(Inputs(conversation=talk), {"model": talk.model})
        recorded = requests_before(subject, lines)
        found = [one.request for one in replayed(subject, "codex").compactions]
        assert len(found) == len(recorded)
        assert all(abs(a - b) <= WITHIN for a, b in zip(found, recorded, strict=True)), (recorded, found)
        seen += 1
    assert seen
