"""Hostile files and strings by the command line: each command is a process of its own, forked where all is loaded."""

from __future__ import annotations

import multiprocessing
import os
import pty
import re
import resource
import sys
import threading
import tty
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.hostile.tally import JOB_SECONDS, Row, Tally
from tests.hostile.uploads import CANARY_WORDS, Upload, dumped, talk

WAY: Final = "command line"
ENDINGS: Final = frozenset({0, 1, 2})
_CPU_LIMIT: Final = int(JOB_SECONDS * 3)
_MOST_NAME: Final = 120
_COMMANDING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, but for tab and line feed."""

_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(["tests.hostile.loaded_commands"])


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its status (negative for a signal), what it printed, and its processor time."""

    status: int
    out: str
    err: str
    cpu_seconds: float


class CommandLine:
    """Runs commands in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    def run(self, *arguments: str) -> Ended:
        """Run `budgeteer` with these arguments to its end, its standard output on a terminal."""
        ours, terminal = pty.openpty()
        tty.setraw(terminal)
        heard: list[bytes] = []
        reader = threading.Thread(target=_hear, args=(ours, heard))
        reader.start()
        process = _forking.Process(target=_command, args=(list(arguments), str(self.folder), os.ttyname(terminal)))
        process.start()
        process.join()
        os.close(terminal)
        reader.join()
        os.close(ours)
        err, cpu = (self.folder.parent / f"{self.folder.name}.{name}" for name in ("err", "cpu"))
        taken = cpu.read_text() if cpu.exists() else ""
        cpu.unlink(missing_ok=True)
        status = process.exitcode
        assert status is not None
        out = b"".join(heard).decode("utf-8", "replace")
        return Ended(status, out, err.read_text(errors="replace"), float(taken or _CPU_LIMIT))


def _hear(terminal: int, heard: list[bytes]) -> None:
    """All that comes to a terminal until nobody has it open any more."""
    with suppress(OSError):
        while more := os.read(terminal, 65_536):
            heard.append(more)


def _command(arguments: list[str], folder: str, terminal: str) -> None:
    """Be the command: in that folder, on that terminal, its complaints in a file, with a limit on processor time."""
    from budgeteer.cli.program import main

    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_LIMIT, _CPU_LIMIT))
    before = _cpu()
    os.chdir(folder)
    for number, place, how in (
        (0, os.devnull, os.O_RDONLY),
        (1, terminal, os.O_WRONLY | os.O_NOCTTY),
        (2, f"{folder}.err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        file = os.open(place, how, 0o600)
        os.dup2(file, number)
        os.close(file)
    try:
        main(arguments)
    finally:
        sys.stdout.flush()
        Path(f"{folder}.cpu").write_text(str(_cpu() - before))


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def looked_at(row: Row, ended: Ended, label: str) -> None:
    """Note how a command ended and all that is wrong with it."""
    row.answers += 1
    row.refused += ended.status == 2
    row.took(ended.cpu_seconds, label, most=JOB_SECONDS)
    if ended.status not in ENDINGS:
        row.wrong.append(f"{label}: it ended with {ended.status}: {ended.err[-300:]}")
    if "Traceback (most recent call last)" in ended.err:
        row.wrong.append(f"{label}: {ended.err[-600:]}")
    if CANARY_WORDS in ended.out + ended.err:
        row.wrong.append(f"{label}: words of another file")
    for text in (ended.out, ended.err):
        if found := _COMMANDING.search(text):
            row.wrong.append(f"{label}: the control character {found.group()!r} on the terminal")


def try_upload(tally: Tally, line: CommandLine, upload: Upload, number: int) -> None:
    """Import, count and pack the file."""
    row, label = tally.row(WAY, upload.family), f"{upload.family}: {upload.label}"
    row.tried += 1
    name = re.sub(r"[/\0]", "_", upload.file_name).encode("utf-8", "surrogateescape")[:_MOST_NAME]
    file = line.folder / os.fsdecode(name.strip(b".") or b"unnamed")
    file.write_bytes(upload.data)
    try:
        place = f"./{file.name}"
        looked_at(row, line.run("import", place), f"{label}, import")
        looked_at(row, line.run("count", place), f"{label}, count")
        if number % 2:
            looked_at(row, line.run("pack", "--conversation", place, "--no-cache"), f"{label}, pack")
        else:
            looked_at(row, line.run("pack", "--skills", place, "--json"), f"{label}, skills")
    finally:
        file.unlink()


def try_strings(tally: Tally, line: CommandLine, strings: Mapping[str, Sequence[str]]) -> None:
    """Every string as a value, a name and a file's text."""
    (line.folder / "talk.json").write_bytes(dumped(talk()))
    for family, texts in strings.items():
        row = tally.row("arguments", family)
        for text in texts:
            if "\0" in text:
                continue  # no argument of a process holds one
            row.tried += 1
            for arguments in commands(line.folder, text):
                looked_at(row, line.run(*arguments), f"{family}: {text[:30]!r}, {' '.join(arguments)[:60]!r}")


def commands(folder: Path, text: str) -> Iterator[tuple[str, ...]]:
    """Command lines with the text in every place that takes one."""
    given = folder / "given.json"
    given.write_bytes(dumped({text: text, "model": text}))
    pack = ("pack", "--conversation", "talk.json", "--no-cache")
    yield (*pack, f"--query={text}", f"--system={text}", f"--workspace-context={text}")
    yield (*pack, f"--set={text}")
    yield (*pack, f"--set=model={text}", f"--set=history.maxTokens={text}")
    yield (*pack, f"--model={text}")
    yield (*pack, f"--request={text}")
    yield ("import", "--", text[:4000])
    yield ("count", "talk.json", f"--tokenizer={text}")
    yield ("config", "validate", "given.json")
    yield (text[:4000],)
