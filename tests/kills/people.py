"""Somebody who uploads, opens workspaces, summarises and shares while things are killed, and remembers every answer."""

from __future__ import annotations

import json
import random
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from django.db import Error as AnyDatabaseError
from django.db import connection

from tests.kills.material import Upload, conversation, library, recorded, sessions
from tests.kills.visiting import Interrupted, Visit

SLOW_UPLOAD_SECONDS = 0.8
LOOKING = 0.65
"""How many of those who share looked at the page before; the others' first request after the import is the report."""
MOST_WAITING = 3
"""Jobs in the queue above which a person waits, so that there is always work and never a backlog of minutes."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An answer that was given: this file is in this workspace (its path)."""

    upload: Upload
    workspace: str


@dataclass
class Memory:
    """What the dashboard said yes to, and what it never answered.

    Attributes:
        opened: uploads with their workspaces.
        reports: titles of the reports it took.
        evaluations: paths of the evaluations it took.
        calibrations: workspaces, by their paths, whose counts it took to calibrate, with the file to do it with.
        unanswered: names of files and reports whose request got no answer.
        refused: answers that are neither (there must be none).
    """

    opened: list[Opened] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)
    evaluations: list[str] = field(default_factory=list)
    calibrations: list[Opened] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class Person(threading.Thread):
    """Does one thing after the other until told to stop; after an interruption tries once more, as people do."""

    def __init__(self, *, port: int, sign_in_path: str, number: int, seed: int) -> None:
        super().__init__(name=f"person-{number}", daemon=True)
        self.visit = Visit(port)
        self.memory = Memory()
        self._sign_in_path = sign_in_path
        self._number = number
        self._dice = random.Random(f"{seed}/{number}")
        self._leaving = threading.Event()
        self.trouble: Exception | None = None

    def leave(self) -> None:
        """Finish the round and stop."""
        self._leaving.set()
        self.join()
        if self.trouble is not None:
            raise self.trouble

    def run(self) -> None:
        try:
            self.visit.get(self._sign_in_path)
            rounds = 0
            while not self._leaving.is_set():
                rounds += 1
                self._one_round(self._number * 100_000 + rounds)
        except Exception as error:  # noqa: BLE001 - told to whoever waits for this thread
            self.trouble = error
        finally:
            connection.close()

    def _one_round(self, number: int) -> None:
        """Upload a file into a workspace of its own, have its history summarised, share it."""
        self._wait_for_room()
        upload = library(self._dice, number) if self._dice.random() < 0.25 else conversation(self._dice, number)
        slow = SLOW_UPLOAD_SECONDS if self._dice.random() < 0.5 else 0.0
        answer = self._try(
            lambda: self.visit.upload("/open/", upload.name, upload.data, seconds=slow), about=upload.name
        )
        if answer is None:
            return
        workspace = answer
        self.memory.opened.append(Opened(upload, workspace))
        if upload.what == "messages":
            self._summarise(workspace)
        looks = self._dice.random() < LOOKING
        if not self._wait_until_quiet(lambda: self._is_counted(upload, workspace if looks else None)):
            return
        for copy in range(self._dice.randint(1, 3)):
            title = f"Report {number}-{copy}"
            fields = {"title": title, "content": "full", "days": "7", "form_key": str(uuid.uuid4())}
            if self._try(lambda fields=fields: self.visit.post(f"{workspace}publish/", fields), about=title):  # type: ignore[misc]
                self.memory.reports.append(title)

    def _summarise(self, workspace: str) -> None:
        limit = self._dice.randint(8, 40) * 1000
        wanted = {"history": {"strategy": "summarizeOlder", "maxChars": limit}}
        self._try(
            lambda: self.visit.post(f"{workspace}config/paste/", {"config": json.dumps(wanted)}),
            about="a configuration",
        )

    def _is_counted(self, upload: Upload, workspace: str | None) -> bool:
        """Looks at the page as a browser does, which asks for the summary after the import; None looks at no page."""
        from budgeteer.jobs.models import Job
        from budgeteer.sources.models import Source

        if workspace is not None:
            self._try(lambda: self.visit.get(workspace), about="a page")
        ready = Source.objects.filter(name=upload.name, state=Source.State.READY).exists()
        return ready and not Job.objects.filter(kind="workbench.summarise", state__in=("queued", "running")).exists()

    def _try(self, ask: Callable[[], tuple[int, str, str]], *, about: str) -> str | None:
        """The place an answer leads to; None where none came twice."""
        for _ in range(2):
            try:
                status, text, place = ask()
            except Interrupted:
                self._wait_for_the_web()
                continue
            if status >= 400:
                self.memory.refused.append(f"{about}: {status} {text[:300]}")
            return place or "/"
        self.memory.unanswered.append(about)
        return None

    def _wait_for_the_web(self) -> None:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            try:
                if self.visit.get("/help/")[0] == 200:
                    return
            except Interrupted:
                time.sleep(0.1)

    def _wait_for_room(self) -> None:
        from budgeteer.jobs.models import Job

        self._wait_until_quiet(lambda: Job.objects.filter(state="queued").count() < MOST_WAITING)

    def _wait_until_quiet(self, quiet: Callable[[], bool], *, seconds: float = 60.0) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self._leaving.is_set():
            try:
                if quiet():
                    return True
            except AnyDatabaseError:
                connection.close()  # the database is being killed just now
            time.sleep(0.05)
        return False


class Evaluator(Person):
    """Somebody who evaluates collections, and calibrates counts with recorded sessions, by turns."""

    def _one_round(self, number: int) -> None:
        self._wait_for_room()
        if number % 2:
            self._evaluate(sessions(self._dice, number))
        else:
            self._calibrate(recorded(self._dice, number))

    def _evaluate(self, upload: Upload) -> None:
        from budgeteer.collections.models import EvaluationRun

        place = self._try(
            lambda: self.visit.upload("/collections/upload/", upload.name, upload.data, seconds=0.0), about=upload.name
        )
        if place is None or not self._wait_until_quiet(lambda: self._is_counted(upload, None)):
            return
        typed = json.dumps({"history": {"strategy": "newestFirst", "maxTokens": self._dice.randint(200, 900)}})
        fields = {"config": "defaults", "model": "", "typed": typed, "replay": "1"}
        run = self._try(lambda: self.visit.post(f"{place}evaluate/", fields), about="an evaluation")
        if run is None:
            return
        self.memory.evaluations.append(run)
        under_way = EvaluationRun.objects.filter(state__in=("queued", "waiting", "running"))
        self._wait_until_quiet(lambda: not under_way.exists())

    def _calibrate(self, upload: Upload) -> None:
        from budgeteer.jobs.models import Job
        from budgeteer.sources.models import Source

        workspace = self._try(
            lambda: self.visit.upload("/open/", upload.name, upload.data, seconds=0.0), about=upload.name
        )
        if workspace is None:
            return
        self.memory.opened.append(Opened(upload, workspace))
        if not self._wait_until_quiet(lambda: self._is_counted(upload, None)):
            return
        fields = {"source": str(Source.objects.get(name=upload.name).pk)}
        if self._try(lambda: self.visit.post(f"{workspace}calibrate/", fields), about="a calibration"):
            self.memory.calibrations.append(Opened(upload, workspace))
        unfinished = Job.objects.filter(kind="workbench.calibrate", state__in=("queued", "running"))
        self._wait_until_quiet(lambda: not unfinished.exists())
