"""Readiness of this web process, answered at once even if a service behind it hangs.

Each part is looked at in a thread of its own and its answer kept for a moment, so that neither something that hangs
nor somebody who asks all the time costs more than one look a part.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog

from budgeteer.operations.checks import CHECKS, DoctorCheck, WatchedProcess
from budgeteer.operations.findings import Finding, FindingState, worst

log = structlog.get_logger(__name__)

ANSWER_SECONDS = 1.0
KEEP_SECONDS = {"database": 1.0, "migrations": 1.0, "broker": 1.0, "storage": 15.0, "worker": 1.0, "scheduler": 1.0}
"""How long an answer is good for; writing a probe to a bucket is paid for by the request."""

GIVE_UP_SECONDS = 10.0
"""A look that hangs for so long is left to itself: what it waits for may be back for whoever asks anew."""

TRUSTED_SECONDS = 15.0
"""How long past `KEEP_SECONDS` a part that answered stays what it answered while a new look takes longer than
`ANSWER_SECONDS`: on a busy machine every look is slow, and a process that is taken out of service for that makes the
others busier still."""

NEEDED = ("database", "migrations", "broker", "storage")
"""What a page cannot be answered without."""

TOLD = ("worker", "scheduler")
"""What is told as well; pages work without it, and its jobs wait."""


@dataclass
class Probe:
    """The latest answer about one part; one look at a time, never waited for longer than `ANSWER_SECONDS`."""

    check: DoctorCheck
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _watch: WatchedProcess | None = None
    _since: float = 0.0
    _answered: WatchedProcess | None = None
    _answered_since: float = 0.0

    def begin(self) -> WatchedProcess:
        """The look whose answer is still good or still to come, or a new one."""
        with self._lock:
            now = time.monotonic()
            if self._watch is not None:
                patience = KEEP_SECONDS[self.check.part] if self._watch.is_over else GIVE_UP_SECONDS
                if self._watch.is_over:
                    self._answered, self._answered_since = self._watch, self._since
                if now - self._since < patience:
                    return self._watch
            self._watch, self._since = WatchedProcess(self.check), now
            return self._watch

    def answer(self, begun: WatchedProcess | None = None) -> list[Finding]:
        """What the look found, waited for until `ANSWER_SECONDS` after it began, else what the last one found.

        `begun` is a look that `begin` gave: of several parts all are begun before one is waited for.
        """
        watch = begun or self.begin()
        found = watch.wait(max(self._since + ANSWER_SECONDS - time.monotonic(), 0.0))
        with self._lock:
            last, age = self._answered, time.monotonic() - self._answered_since
        trusted = KEEP_SECONDS[self.check.part] + TRUSTED_SECONDS
        if watch.is_over or last is None or last is watch or age >= trusted:
            return found
        return last.wait(0.0)


@dataclass(frozen=True, slots=True)
class Readiness:
    """The answer: a state for each part. No sentence is in it, since anybody may ask."""

    needed: dict[str, FindingState]
    told: dict[str, FindingState]

    @property
    def is_ready(self) -> bool:
        return FindingState.FAILED not in self.needed.values()

    def to_json(self) -> dict[str, object]:
        """As the page prints it."""
        return {"status": "ready" if self.is_ready else "not ready", "needs": self.needed, "jobs": self.told}


class Readers:
    """The probes of this process."""

    def __init__(self, checks: Iterable[DoctorCheck] = CHECKS) -> None:
        self._probes = {check.part: Probe(check) for check in checks if check.part in KEEP_SECONDS}

    def look(self) -> Readiness:
        """Look at everything at once."""
        begun = {part: probe.begin() for part, probe in self._probes.items()}
        states = {part: self._state(probe, begun[part]) for part, probe in self._probes.items()}
        return Readiness({part: states[part] for part in NEEDED}, {part: states[part] for part in TOLD})

    def _state(self, probe: Probe, begun: WatchedProcess) -> FindingState:
        findings = probe.answer(begun)
        for finding in findings:
            if finding.state is FindingState.FAILED and probe.check.part in NEEDED:
                log.warning("not ready", part=probe.check.part, reason=finding.sentence)
        return worst(findings)


readers = Readers()
