"""The running dashboard in team mode, a client that says how it likes, and the processor time of each answer."""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from tests.kills.parts import Stack, started_by
from tests.waiting import PATIENCE_SECONDS

KEY: Final = "a key of these runs only, long enough for nobody to guess it: 0123456789abcdef"
TOKEN: Final = "t" * 32
BOUNDARY: Final = "hostile-boundary"
_TICK: Final = os.sysconf("SC_CLK_TCK")

TEAM: Final[Mapping[str, str]] = {
    "BUDGETEER_MODE": "team",
    "SECRET_KEY": KEY,
    "ALLOWED_HOSTS": "127.0.0.1",
    "BUDGETEER_HTTPS": "no",
    "BUDGETEER_LOG_FORMAT": "json",
    "BUDGETEER_LOG_LEVEL": "warning",
    # Limits by the minute and by the try are other tests' subject.
    "BUDGETEER_API_REQUESTS_PER_MINUTE": "100000",
    "BUDGETEER_API_STRANGERS_PER_MINUTE": "100000",
    "BUDGETEER_SIGN_IN_TRIES": "1000",
    "BUDGETEER_SIGN_IN_TRIES_PER_ADDRESS": "10000",
    # A worker that works is never taken for a dead one here.
    "BUDGETEER_JOB_HEARTBEAT_SECONDS": "5",
    "BUDGETEER_JOB_STALE_SECONDS": "120",
    "BUDGETEER_JOB_RESEND_SECONDS": "20",
    "BUDGETEER_JOB_REAP_SECONDS": "10",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, and the seconds of processor time that the web part took for it."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    cpu_seconds: float

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def place(self) -> str:
        """The path it redirects to."""
        return urlsplit(self.header("location")).path


def cpu_seconds(processes: Iterable[int]) -> float:
    """The processor time of these processes and of all that they started, ended ones among them."""
    total = 0
    for process in processes:
        for each in (process, *started_by(process)):
            try:
                numbers = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            total += sum(int(number) for number in numbers[11:15])
    return total / _TICK


@dataclass
class Client:
    """Somebody with a session, a token, or neither."""

    stack: Stack
    cookie: str = ""
    token: str = ""

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request on a connection of its own. An underscore in a header's name stands for a dash."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        else:
            sent["Cookie"] = "; ".join([self.cookie, f"budgeteer_csrf={TOKEN}"][not self.cookie :])
        before = self.web_cpu_seconds()
        connection = http.client.HTTPConnection("127.0.0.1", self.stack.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            answered = response.status, tuple(response.getheaders()), response.read()
        finally:
            connection.close()
        return Answer(*answered, self.web_cpu_seconds() - before)

    def web_cpu_seconds(self) -> float:
        """The processor time that the web part has taken so far."""
        process = self.stack.parts["web"].process
        assert process is not None
        return cpu_seconds([process.pid])

    def get(self, path: str, **query: str) -> Answer:
        return self.ask("GET", f"{path}?{encoded(query)}" if query else path)

    def post(self, path: str, fields: Mapping[str, Any]) -> Answer:
        """A form, with its token."""
        body = encoded({**fields, "csrfmiddlewaretoken": TOKEN}).encode()
        return self.ask("POST", path, body, Content_Type="application/x-www-form-urlencoded")

    def upload(self, path: str, name: str, file_name: str, data: bytes, **fields: str) -> Answer:
        """A form with a file, whose name goes out as it is."""
        parts = {**fields} if self.token else {"csrfmiddlewaretoken": TOKEN, **fields}
        body = b"".join(
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
            for key, value in parts.items()
        )
        quoted = file_name.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogatepass")
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="'.encode() + quoted
        body += (
            head + b'"\r\nContent-Type: application/octet-stream\r\n\r\n' + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        )
        return self.ask("POST", path, body, Content_Type=f"multipart/form-data; boundary={BOUNDARY}")

    def send(self, method: str, path: str, document: Any) -> Answer:
        """JSON to the API."""
        body = json.dumps(document).encode("utf-8", "surrogatepass")
        return self.ask(method, f"/api/v1{path}", body, Content_Type="application/json")


def encoded(fields: Mapping[str, Any]) -> str:
    """A form or a query; what is no valid text goes out as the bytes it would be."""
    return urlencode(fields, doseq=True, encoding="utf-8", errors="surrogatepass")


class Jobs:
    """The jobs that answers started, and the processor time that the workers took for them."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._told: set[Any] = set()

    def finish(self, *, most_seconds: float) -> tuple[float, list[str], int]:
        """Wait until nothing is left to do: processor time, what went wrong, and how many failed with a sentence.

        Jobs that take much longer than `most_seconds` of processor time are given up, and are wrong.
        """
        from budgeteer.jobs.models import FINISHED, Job

        workers = [part.process.pid for name, part in self._stack.parts.items() if "worker" in name and part.process]
        before, until = cpu_seconds(workers), time.monotonic() + PATIENCE_SECONDS
        wrong: list[str] = []
        while Job.objects.exclude(state__in=FINISHED).exists():
            if cpu_seconds(workers) - before > 4 * most_seconds or time.monotonic() > until:
                late = Job.objects.exclude(state__in=FINISHED)
                wrong += [f"{job.kind} does not come to its end" for job in late]
                late.update(state="cancelled")
                break
            time.sleep(0.01)
            self._stack.start_again_what_ended()
        failed = 0
        for job in Job.objects.exclude(pk__in=self._told):
            self._told.add(job.pk)
            if job.lost_workers:
                wrong.append(f"{job.kind} lost {job.lost_workers} workers")
            if job.state == "failed":
                failed += 1
                if not job.error or not job.error.get("sentence"):
                    wrong.append(f"{job.kind} failed without a sentence")
        return cpu_seconds(workers) - before, wrong, failed


#: Logged as errors by Django, and refusals: a host that is not ours, an address that is too long to be led to.
_REFUSALS: Final = frozenset({"django.security.DisallowedHost", "django.security.DisallowedRedirect"})


def errors_logged(stack: Stack) -> list[str]:
    """The lines of the parts' logs that tell of an error nobody expected."""
    found = []
    for part in stack.parts.values():
        for line in part.log.read_text(errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                found.append(f"{part.name}: {line[:200]}")
                continue
            if entry.get("level") in {"error", "critical"} and entry.get("logger") not in _REFUSALS:
                found.append(f"{part.name}: {line[:2000]}")
    return found
