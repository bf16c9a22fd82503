"""One child process: started in its own process group, restarted when it dies, stopped with its descendants."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

STEADY_SECONDS = 60.0
LONGEST_PAUSE_SECONDS = 30.0


@dataclass
class Child:
    """A part of the dashboard.

    The child reads a pipe from us on its standard input: when we are gone, however that came about,
    the pipe ends and the child stops itself, so nothing outlives the dashboard.

    Attributes:
        name: what people call it ("web", "worker").
        arguments: for `python -m budgeteer.serve.child`.
    """

    name: str
    arguments: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None
    _started_at: float = 0.0
    _failures: int = 0
    _resume_at: float = field(default=0.0)

    def start(self) -> None:
        """Start the process."""
        self._started_at = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "budgeteer.serve.child", *self.arguments],
            stdin=subprocess.PIPE,
            # Logs go to standard error; Celery's farewells are not for people.
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def start_in(self, seconds: float) -> None:
        """Let `mend` start it after so long."""
        self._resume_at = time.monotonic() + seconds

    def mend(self) -> str:
        """Start it again if it died, after a pause that grows; what to tell, or ""."""
        now = time.monotonic()
        if self.process is None:
            if now >= self._resume_at:
                self.start()
            return ""
        status = self.process.poll()
        if status is None:
            return ""
        if now - self._started_at > STEADY_SECONDS:
            self._failures = 0
        pause = min(2.0**self._failures, LONGEST_PAUSE_SECONDS) if self._failures else 0.5
        self._failures += 1
        self._resume_at = now + pause
        self._forget()
        return f"The {self.name} stopped by itself (status {status}); starting it again in {pause:g} s."

    def ask_to_stop(self) -> None:
        """SIGTERM: finish what is at hand and go."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def stop_by(self, deadline: float) -> None:
        """Wait until `deadline` (monotonic), then kill whatever is left of its group."""
        if self.process is None:
            return
        try:
            self.process.wait(timeout=max(deadline - time.monotonic(), 0.05))
        except subprocess.TimeoutExpired:
            pass  # killed below
        self._forget()

    def _forget(self) -> None:
        """Kill what may be left of the group and close our end of the pipe."""
        process, self.process = self.process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # nobody is left (macOS says so with PermissionError)
        process.wait()
        if process.stdin:
            process.stdin.close()
