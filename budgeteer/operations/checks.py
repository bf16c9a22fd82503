"""The table of all health checks, and how each runs under a time limit.

The readiness page asks some of them, `budgeteer doctor` all. Their modules are imported when they run: some are
asked before there are settings that can be read.
"""

from __future__ import annotations

import contextvars
import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import structlog

from budgeteer.operations.findings import Finding, FindingState, failed, warning

log = structlog.get_logger(__name__)

THREADS = "look at "
"""How the names of the threads begin in which parts are looked at."""

WORK_SECONDS = 60.0

type Look = Callable[[], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One part.

    Attributes:
        part: its name, as `--only` takes it.
        place: `module:function` of this package; the function returns findings, the first of them named as the part.
        needs: parts without which there is nothing to look at.
        works: it waits for nothing but this machine, so that a long time means a busy one and not that it hangs.
    """

    part: str
    place: str
    needs: tuple[str, ...] = ()
    works: bool = False

    def look(self) -> list[Finding]:
        """Look now, in this thread."""
        module, _, function = self.place.partition(":")
        look: Look = getattr(importlib.import_module(f"budgeteer.operations.{module}"), function)
        return list(look())


CHECKS: tuple[DoctorCheck, ...] = (
    DoctorCheck("python", "installation:python", works=True),
    DoctorCheck("environment", "installation:environment", works=True),
    DoctorCheck("tokenizers", "installation:tokenizers", works=True),
    DoctorCheck("models", "installation:models", works=True),
    DoctorCheck("static", "files:static", needs=("environment",)),
    DoctorCheck("disk", "files:disk", needs=("environment",)),
    DoctorCheck("storage", "files:storage", needs=("environment",)),
    DoctorCheck("private", "private_files:private", needs=("environment",)),
    DoctorCheck("broker", "broker:broker", needs=("environment",)),
    DoctorCheck("database", "database:database", needs=("environment",)),
    DoctorCheck("migrations", "database:migrations", needs=("database",)),
    DoctorCheck("worker", "processes:workers", needs=("broker", "migrations")),
    DoctorCheck("scheduler", "processes:scheduler", needs=("migrations",)),
    DoctorCheck("jobs", "processes:jobs", needs=("migrations",)),
    DoctorCheck("provider", "sign_in_provider:provider", needs=("environment",)),
    DoctorCheck("accounts", "processes:accounts", needs=("migrations",)),
)

#: The parts a container asks of itself: there they mean this host's own process, not anybody's.
OWN_CHECKS: tuple[DoctorCheck, ...] = (
    DoctorCheck("worker", "processes:own_worker", needs=("environment",)),
    DoctorCheck("scheduler", "processes:own_scheduler", needs=("environment",)),
)


def selected(part: str | None) -> list[DoctorCheck]:
    """The checks of one part and of what it needs, or all of them."""
    if part is None:
        return list(CHECKS)
    table = {check.part: check for check in CHECKS}
    table |= {check.part: check for check in OWN_CHECKS}
    wanted = [part]
    for name in wanted:
        wanted += [need for need in table[name].needs if need not in wanted]
    return [table[name] for name in reversed(wanted)]


def examine(checks: Iterable[DoctorCheck], *, seconds: float) -> dict[str, list[Finding]]:
    """Look at each in turn, for no longer than `seconds` where it may hang; the findings by part.

    What a failed part is needed for is not looked at, and says so.
    """
    found: dict[str, list[Finding]] = {}
    gone: set[str] = set()
    for check in checks:
        missing = next((part for part in check.needs if part in gone), None)
        if missing:
            found[check.part] = [_not_looked_at(check, missing)]
            gone.add(check.part)
            continue
        found[check.part] = WatchedProcess(check).wait(WORK_SECONDS if check.works else seconds)
        if any(finding.state is FindingState.FAILED and finding.name == check.part for finding in found[check.part]):
            gone.add(check.part)
    return found


def is_anything_hanging() -> bool:
    """Whether a look still runs that nobody waits for any more."""
    return any(thread.name.startswith(THREADS) for thread in threading.enumerate())


def _not_looked_at(check: DoctorCheck, missing: str) -> Finding:
    return warning(check.part, f"Not looked at: it needs {missing}.", mend=f"See {missing}")


@dataclass
class WatchedProcess:
    """One look that runs in a thread of its own, so that whoever waits for it can stop waiting."""

    check: DoctorCheck
    _findings: list[Finding] | None = None
    _thread: threading.Thread = field(init=False)
    _started: float = field(init=False)

    def __post_init__(self) -> None:
        context = contextvars.copy_context()
        self._started = time.monotonic()
        name = f"{THREADS}{self.check.part}"
        self._thread = threading.Thread(target=context.run, args=(self._look,), name=name, daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> list[Finding]:
        """What was found, or that it took too long."""
        self._thread.join(seconds)
        if self._findings is None:
            sentence = f"It has not answered for {time.monotonic() - self._started:.1f} s."
            return [failed(self.check.part, sentence, mend="Check that it runs and that the network lets us reach it")]
        return self._findings

    def _look(self) -> None:
        try:
            self._findings = self.check.look()
        except Exception as error:
            # The boundary of the doctor: what no check expected is a finding as well.
            log.debug("check broke off", part=self.check.part, exc_info=True)
            sentence = f"The check itself broke off: {type(error).__name__}: {error}."
            self._findings = [failed(self.check.part, sentence, mend="Report this line")]
        finally:
            _close_connections()


def _close_connections() -> None:
    """A thread's database connection is its own; where nothing loaded Django there is none."""
    database = sys.modules.get("django.db")
    if database is not None and "django.conf" in sys.modules and sys.modules["django.conf"].settings.configured:
        database.connections.close_all()
