"""What a terminal obeys is shown to it, and a pipe gets it as it is."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tty
from pathlib import Path

import pytest

from budgeteer.cli.output.terminal import shown

TITLE = "\x1b]0;owned\x07 \x9b2J \u202egnp.exe\r"


def transcript(folder: Path) -> str:
    file = folder / "talk.json"
    file.write_text(json.dumps([{"title": TITLE, "messages": [{"role": "user", "content": TITLE}]}]))
    return str(file)


def printed(command: list[str], *, to_terminal: bool) -> bytes:
    ours, terminal = pty.openpty()
    tty.setraw(terminal)
    out = terminal if to_terminal else subprocess.PIPE
    with subprocess.Popen([sys.executable, "-m", "budgeteer.cli", *command], stdout=out) as process:
        os.close(terminal)
        heard = b""
        try:
            while more := os.read(ours, 65_536) if to_terminal else process.stdout.read():  # type: ignore[union-attr]
                heard += more
        except OSError:
            pass  # the other end of a terminal is closed
    os.close(ours)
    assert process.returncode == 0
    return heard


@pytest.mark.parametrize("command", [["import", "--messages", "1"], ["import", "--json"], ["count"]])
def test_a_terminal_is_sent_nothing_that_it_obeys(tmp_path: Path, command: list[str]) -> None:
    heard = printed([*command, transcript(tmp_path)], to_terminal=True).decode()
    assert heard == shown(heard)
    if "--json" in command:
        json.loads(heard)


def test_a_pipe_gets_the_text_as_it_is(tmp_path: Path) -> None:
    command = ["pack", "--request", "text", "--conversation", transcript(tmp_path)]
    assert TITLE.encode() in printed(command, to_terminal=False)


def test_what_is_wrong_is_said_without_what_a_terminal_obeys() -> None:
    command = [sys.executable, "-m", "budgeteer.cli", "import", TITLE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 2
    assert "\\u001b]0;owned\\u0007" in done.stderr
    assert not set("\x1b\x07\x9b\u202e") & set(done.stderr)


def test_lines_and_tabs_are_left_and_the_rest_is_escaped() -> None:
    assert shown("a\tb\nc\x00\x7f\u2029") == "a\tb\nc\\u0000\\u007f\\u2029"
