"""Log events of a packing on the command line: the dashboard's, and only where the environment asks for them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(chat: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BUDGETEER_")}
    line = [sys.executable, "-m", "budgeteer.cli", "pack", "--conversation", str(chat), "--no-cache", "--json"]
    return subprocess.run(line, env=kept | environment, cwd=chat.parent, capture_output=True, text=True, check=False)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "word " * 50}] * 3), encoding="utf-8")
    return path


def test_events_say_the_verdict_and_leave_the_output_alone(chat: Path) -> None:
    done = run(chat, BUDGETEER_LOG_FORMAT="json")
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    packing = json.loads(done.stdout)
    assert [event["event"] for event in events][-1] == "packed"
    assert events[-1]["verdict"] == packing["verdict"]["level"] == "fits"
    assert events[-1]["sent_tokens"] == packing["total"]["tokens"]


@pytest.mark.slow
def test_no_event_is_written_unless_it_is_asked_for(chat: Path) -> None:
    assert "packed" not in run(chat).stderr
    assert "packed" in run(chat, BUDGETEER_LOG_LEVEL="debug").stderr


def test_a_value_that_is_not_known_is_refused_in_a_sentence(chat: Path) -> None:
    done = run(chat, BUDGETEER_LOG_FORMAT="xml")
    assert done.returncode == 2
    assert "BUDGETEER_LOG_FORMAT='xml' cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
