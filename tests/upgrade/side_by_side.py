"""Processes of two versions over one PostgreSQL database and one Redis while people go on working.

As an operator upgrades without a pause: the new version migrates, its processes start beside the old ones, the old
ones are taken out of the proxy and told to end. People upload, change settings and read what is packed all the while,
by HTTP alone. Wrong is any answer that is an error, a connection that breaks, a job that fails, and an upload that is
not all there.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests import servers
from tests.kills import parts
from tests.kills.material import Upload, conversation, library
from tests.kills.visiting import Interrupted, Visit

ROOT = Path(__file__).parents[2]
PEOPLE = 3
PACKED_SECONDS = 120.0
END_SECONDS = 60.0
PACKED = re.compile(r'id="verdict"')
LINK = re.compile(r"https?://[^/\s]+(/\S+)")


class NoHistory(RuntimeError):
    """The commit is not in this clone."""


class NotStarted(RuntimeError):
    """A version does not run here: an old one may need other packages than those that are installed."""


@dataclass
class Doors:
    """The ports that a proxy in front would send people to; they come and go while people work."""

    open: tuple[tuple[str, int], ...]


@dataclass
class Told:
    """What people were answered.

    Attributes:
        answers: how many, by the moment and the version that gave them.
        wrong: answers that were errors, or none at all, with the moment and the version.
        uploads: files that were taken, with the path of their workspace.
    """

    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    uploads: list[tuple[Upload, str]] = field(default_factory=list)


@dataclass
class Moments:
    """What is going on, for every answer to be counted under."""

    now: str = ""


class Colleague(threading.Thread):
    """One signed-in person who uploads a file, waits until it is packed, changes a setting and reads the prompt."""

    def __init__(self, number: int, doors: Doors, moments: Moments, cookies: dict[str, str]) -> None:
        super().__init__(name=f"person-{number}", daemon=True)
        self.told = Told()
        self.trouble: Exception | None = None
        self._dice = random.Random(number)
        self._number = number
        self._doors = doors
        self._moments = moments
        self._cookies = cookies
        self._leaving = threading.Event()

    def leave(self) -> None:
        """Finish what was begun, and stop."""
        self._leaving.set()

    def run(self) -> None:
        try:
            rounds = 0
            while not self._leaving.is_set():
                rounds += 1
                self._one_round(self._number * 100_000 + rounds)
        except Exception as error:  # noqa: BLE001 - told to whoever waits for this thread
            self.trouble = error

    def _one_round(self, number: int) -> None:
        upload = library(self._dice, number) if self._dice.random() < 0.3 else conversation(self._dice, number)
        taken = self._ask(lambda visit: visit.upload("/open/", upload.name, upload.data, seconds=0.2), upload.name)
        if taken is None:
            return
        workspace = taken[2]
        self.told.uploads.append((upload, workspace))
        if not self._is_packed(workspace):
            return
        wanted = {"history": {"strategy": "newestFirst", "maxTokens": self._dice.randint(2_000, 9_000)}}
        pasted = {"config": json.dumps(wanted)}
        self._ask(lambda visit: visit.post(f"{workspace}config/paste/", pasted), "a setting")
        self._ask(lambda visit: visit.get(f"{workspace}export/text/"), "the prompt")

    def _is_packed(self, workspace: str) -> bool:
        """Look at the page, at one version's or the other's, until it says what is packed."""
        deadline = time.monotonic() + PACKED_SECONDS
        while time.monotonic() < deadline:
            page = self._ask(lambda visit: visit.get(workspace), "a workspace")
            if page is not None and PACKED.search(page[1]):
                return True
            time.sleep(0.2)
        self.told.wrong.append(f"{self._moments.now}: {workspace} was not packed within {PACKED_SECONDS:.0f} s")
        return False

    def _ask(self, ask: Callable[[Visit], tuple[int, str, str]], about: str) -> tuple[int, str, str] | None:
        version, port = self._dice.choice(self._doors.open)
        visit = Visit(port, cookies=dict(self._cookies), takes_errors=True)
        moment = self._moments.now
        self.told.answers[moment, version] += 1
        try:
            answer = ask(visit)
        except Interrupted as error:
            self.told.wrong.append(f"{moment}, {version}: {about}: {error}")
            return None
        if answer[0] >= 400:
            self.told.wrong.append(f"{moment}, {version}: {about}: {answer[0]} {answer[1][:300]}")
            return None
        return answer


def checkout(commit: str, folder: Path) -> Path:
    """The files of a commit, in a folder of their own.

    Raises:
        NoHistory: this clone has no such commit.
    """
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        raise NoHistory(f"{commit} is not in this clone: {packed.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def before_the_newest_migration() -> str:
    """The commit before the one that brought the newest migration.

    Raises:
        NoHistory: this clone does not go back so far.
    """
    asked = ["git", "log", "--diff-filter=A", "-1", "--format=%H", "--", "budgeteer/*/migrations/0*.py"]
    newest = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    before = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{newest}~1^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if before.returncode:
        raise NoHistory("this clone does not go back before the newest migration; fetch more of it, or name a commit")
    return before.stdout.strip()


def upgrade(commit: str, folder: Path, *, seconds: float) -> dict[str, Any]:
    """Upgrade from a commit to this checkout while people work; what they were told, and what is left.

    Args:
        folder: for data, logs and the files of the commit.
        seconds: how long each moment lasts; both versions work side by side for three times as long.
    """
    with ExitStack() as closing:
        stack = closing.enter_context(parts.prepared("postgres", folder))
        stack.root = checkout(commit, folder / "old")
        beside = replace(stack, folder=folder / "new", port=servers.free_port(), root=ROOT, servers={}, parts={})
        beside.folder.mkdir()
        closing.callback(lambda: [part.kill() for part in beside.parts.values()])
        _run(stack, "serve", "--only", "migrate")
        parts.start_parts(stack)
        cookies = _signed_in(stack)
        doors, moments = Doors((("old", stack.port),)), Moments("old alone")
        people = [Colleague(number, doors, moments, cookies) for number in range(1, PEOPLE + 1)]
        for person in people:
            person.start()
        time.sleep(seconds)
        moments.now = "migrating"
        _run(beside, "serve", "--only", "migrate")
        moments.now = "old over new tables"
        time.sleep(seconds)
        parts.start_parts(beside)
        doors.open = (("old", stack.port), ("new", beside.port))
        moments.now = "side by side"
        time.sleep(3 * seconds)
        doors.open = (("new", beside.port),)
        moments.now = "old ones end"
        time.sleep(1.0)  # a proxy lets those finish whom it has sent there
        by_old = {part.process.pid for part in stack.parts.values() if part.process}
        unclean = _end(stack)
        moments.now = "new alone"
        time.sleep(seconds)
        for person in people:
            person.leave()
        for person in people:
            person.join()
            if person.trouble is not None:
                raise person.trouble
        return _judged(beside, [person.told for person in people], by_old=by_old, unclean=unclean)


def _run(stack: parts.Stack, *arguments: str) -> str:
    command = [sys.executable, "-m", "budgeteer.cli", *arguments]
    environment = {**stack.environment, "PYTHONPATH": str(stack.root)}
    done = subprocess.run(command, cwd=stack.root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotStarted(f"`budgeteer {' '.join(arguments)}` of {stack.root}: {done.stderr.strip()[-1000:]}")
    return done.stdout


def _signed_in(stack: parts.Stack) -> dict[str, str]:
    """The cookies of a browser that followed a one-time link of the old version."""
    found = LINK.search(_run(stack, "link"))
    if found is None:
        raise NotStarted("the old version printed no link to sign in with")
    visit = Visit(stack.port)
    visit.get(found[1])
    return visit.cookies


def _end(stack: parts.Stack) -> list[str]:
    """Tell the processes of a version to end, all at once, and wait; those that did not in time."""
    for part in stack.parts.values():
        if part.process is not None:
            part.process.send_signal(signal.SIGTERM)
    late = []
    for part in stack.parts.values():
        assert part.process is not None
        try:
            part.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            late.append(f"{part.name} of the old version did not end within {END_SECONDS:.0f} s")
            part.kill()
    return late


def _judged(beside: parts.Stack, told: list[Told], *, by_old: set[int], unclean: list[str]) -> dict[str, Any]:
    """Everything that people were told, and what the new version finds in the database."""
    os.environ.clear()
    os.environ.update(beside.environment)
    import django

    django.setup()
    from budgeteer.jobs.models import FINISHED, Job, JobState
    from budgeteer.sources.models import Source

    deadline = time.monotonic() + PACKED_SECONDS
    while Job.objects.exclude(state__in=FINISHED).exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    wrong = [*unclean, *(one for each in told for one in each.wrong)]
    jobs = list(Job.objects.all())
    wrong += [f"{job}: {job.state} {job.error}" for job in jobs if job.state != JobState.SUCCEEDED]
    uploads = [one for each in told for one in each.uploads]
    for upload, _workspace in uploads:
        source = Source.objects.filter(name=upload.name).first()
        if source is None or source.state != Source.State.READY or source.counts.get(upload.what) != upload.items:
            wrong.append(f"{upload.name}: {source and (source.state, source.error, source.counts)}")
    answers: Counter[tuple[str, str]] = Counter()
    for each in told:
        answers.update(each.answers)
    done_by = Counter("old" if int(job.worker.rpartition(":")[2] or 0) in by_old else "new" for job in jobs)
    needed = [("old over new tables", "old"), ("side by side", "old"), ("side by side", "new"), ("new alone", "new")]
    wrong += [
        f"nobody asked the {version} version: {moment}" for moment, version in needed if not answers[moment, version]
    ]
    return {
        "answers": {f"{moment}, {version}": number for (moment, version), number in answers.items()},
        "uploads": len(uploads),
        "jobs by version": dict(done_by),
        "wrong": wrong,
    }
