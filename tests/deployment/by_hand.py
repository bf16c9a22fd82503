"""The compose file's processes without a container engine: the same commands, environment, order and health checks.

Read from docker-compose.yml: what runs, with which words and variables, how often, what waits for what, and who asks
whether it is well. Different from a container are only places: folders, ports and host names are mapped to ones of
this machine, and PostgreSQL and Redis are the servers of the test run. Started as root, every process of ours runs
under the image's number, which may write to its data folder and nowhere else.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.deployment.about_safety import SECRETS, made_secrets
from tests.deployment.about_services import check_of, run_by
from tests.deployment.installed import Installation, run, shared_installation
from tests.deployment.reading import Deployment, seconds
from tests.servers import die_with_parent, free_port
from tests.waiting import PATIENCE_SECONDS

ADMIN = ("ada", "a long enough password")
CHECK_EVERY_SECONDS = 0.5
#: What the operator says in `.env`; without a proxy in front there is no TLS.
OPERATOR = {"ALLOWED_HOSTS": "127.0.0.1", "BUDGETEER_HTTPS": "no"}


class NotHealthy(RuntimeError):
    """A part ended, or its health check never succeeded; the sentence ends with what it said."""


@dataclass
class Part:
    """One process of a service."""

    service: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")


@dataclass
class ByHand:
    """The processes, and how the places of a container are called on this machine."""

    deployment: Deployment
    installation: Installation
    folder: Path
    port: int
    servers: Mapping[str, str]
    account: int | None
    parts: list[Part] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def here(self, word: str) -> str:
        """A word of a command or a value of a variable, with its places mapped."""
        places = {
            SECRETS: f"{self.folder}/secrets/",
            "/app/static": f"{self.folder}/static",
            "127.0.0.1:8000": f"127.0.0.1:{self.port}",
        }
        whole = {"8000": str(self.port), "0.0.0.0": "127.0.0.1", "/data": f"{self.folder}/data"}
        if word in whole:
            return whole[word]
        for there, here in places.items():
            word = word.replace(there, here)
        return word

    def environment(self, service: str) -> dict[str, str]:
        """All that a process of that service finds in its environment."""
        given = {name: self.here(value) for name, value in self.deployment.environment(service).items()}
        path = f"{self.installation.folder}/venv/bin:{os.environ['PATH']}"
        own = {"PATH": path, "TMPDIR": f"{self.folder}/tmp", "HOME": f"{self.folder}/tmp"}
        return given | OPERATOR | own | self.installation.variables

    def command(self, words: list[str]) -> list[str]:
        return [self.installation.program(words[0]), *(self.here(word) for word in words[1:])]

    def started(self, service: str, words: list[str], output: Any) -> subprocess.Popen[bytes]:
        """A process in a container of that service."""
        return subprocess.Popen(
            self.command(words),
            env=self.environment(service),
            cwd=self.installation.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.account,
            group=self.account,
            extra_groups=None if self.account is None else [],
            preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call
        )

    def start(self, service: str) -> None:
        """As many processes of a service as it has replicas."""
        for number in range(int(self.deployment.services[service].get("deploy", {}).get("replicas", 1))):
            log = self.folder / "logs" / f"{service}-{number}.log"
            with log.open("wb") as output:
                process = self.started(service, run_by(self.deployment, service), output)
            self.parts.append(Part(service, process, log))

    def of(self, service: str) -> list[Part]:
        return [part for part in self.parts if part.service == service]

    def execute(self, service: str, words: list[str]) -> subprocess.CompletedProcess[bytes]:
        """Run something in a container of the service to its end, as `docker compose exec` does."""
        with tempfile.TemporaryFile() as output:
            status = self.started(service, words, output).wait(timeout=PATIENCE_SECONDS)
            output.seek(0)
            return subprocess.CompletedProcess(words, status, output.read())

    def wait_for(self, service: str, condition: str) -> None:
        """Wait as `depends_on` would.

        Raises:
            NotHealthy: what is waited for will not come.
        """
        if service not in self.deployment.ours:
            return  # the servers of the test run answer before they are handed out
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            statuses = [part.process.poll() for part in self.of(service)]
            if condition == "service_completed_successfully" and set(statuses) == {0}:
                return
            if any(status is not None for status in statuses):
                break
            if condition == "service_healthy" and self._is_healthy(service):
                return
            time.sleep(CHECK_EVERY_SECONDS)
        said = "\n".join(f"{part.log.stem} ({part.process.poll()}): {part.said}" for part in self.of(service))
        raise NotHealthy(f"{service} did not become {condition}. It said:\n{said}")

    def _is_healthy(self, service: str) -> bool:
        return self.execute(service, check_of(self.deployment.services[service])).returncode == 0

    def up(self) -> None:
        """Start every service of ours after what it waits for, then wait until all are well."""
        waiting = dict(self.deployment.ours)
        while waiting:
            ready = [name for name, service in waiting.items() if not set(service["depends_on"]) & set(waiting)]
            assert ready, f"{', '.join(waiting)} wait for each other"
            for name in ready:
                for other, wish in waiting.pop(name)["depends_on"].items():
                    self.wait_for(other, wish["condition"])
                self.start(name)
        for name, service in self.deployment.ours.items():
            self.wait_for(name, "service_healthy" if check_of(service) else "service_completed_successfully")

    def down(self) -> dict[str, int]:
        """Stop everything as an engine does; each process's status, killed ones -9."""
        for part in self.parts:
            if part.process.poll() is None:
                part.process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        for part in self.parts:
            grace = seconds(self.deployment.services[part.service]["stop_grace_period"])
            try:
                part.process.wait(max(asked + grace - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                os.killpg(part.process.pid, signal.SIGKILL)
                part.process.wait()
        return {part.log.stem: part.process.returncode for part in self.parts}


@contextmanager
def running_by_hand(servers: Mapping[str, str]) -> Iterator[ByHand]:
    """The whole deployment over these servers, healthy, with one administrator (`ADMIN`); stopped at the end.

    Args:
        servers: DATABASE_URL and REDIS_URL of an empty database and broker.
    """
    account = 10001 if os.geteuid() == 0 else None
    with ExitStack() as held:
        # What is installed here is run by another account, whatever rights the developer's own files have.
        held.callback(os.umask, os.umask(0o022))
        folder = Path(tempfile.mkdtemp(prefix="budgeteer-by-hand-"))
        held.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        installation = shared_installation(for_everybody=account is not None)
        byhand = ByHand(Deployment(), installation, folder, free_port(), servers, account)
        held.callback(byhand.down)
        _prepare(byhand)
        byhand.up()
        _make_admin(byhand)
        yield byhand


def _prepare(byhand: ByHand) -> None:
    """The secrets, the static files, and the folders that stand for volumes and memory."""
    for name in ("data", "tmp", "logs", "secrets"):
        (byhand.folder / name).mkdir(exist_ok=True)
    secrets = byhand.folder / "secrets"
    made_secrets(secrets)
    for secret, variable in {"database_url": "DATABASE_URL", "redis_url": "REDIS_URL"}.items():
        (secrets / secret).chmod(0o600)
        (secrets / secret).write_text(byhand.servers[variable])
    if byhand.account is not None:
        for path in (byhand.folder / "data", byhand.folder / "tmp", secrets, *secrets.iterdir()):
            shutil.chown(path, byhand.account, byhand.account)
    collecting = [byhand.installation.program("django-admin"), "collectstatic", "--no-input", "--verbosity", "0"]
    building = {"BUDGETEER_DATA_DIR": str(byhand.folder / "building"), "PATH": os.environ["PATH"]}
    building |= {"BUDGETEER_STATIC_ROOT": byhand.here("/app/static")} | byhand.installation.variables
    run([*collecting, "--settings", "budgeteer.settings"], building)


def _make_admin(byhand: ByHand) -> None:
    """The first account, as docs/deployment.md says it is made."""
    name, password = ADMIN
    making = "from django.contrib.auth.models import User; User.objects.create_superuser({!r}, password={!r})"
    words = ["django-admin", "shell", "--settings", "budgeteer.settings", "-c", making.format(name, password)]
    done = byhand.execute("web", words)
    assert done.returncode == 0, done.stdout.decode()
