"""The doctor in front of real broken installations: it answers in time, says what is wrong, and how to mend it."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from budgeteer.cli.commands.doctor import PARTS
from budgeteer.operations.checks import CHECKS
from tests import servers
from tests.own_servers import own_database
from tests.silent_server import silent_server
from tests.sources.bucket_server import bucket_server
from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # Linux, prctl(2) and capabilities(7)
SECRET = "only-for-this-test-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEF"


@dataclass(frozen=True, slots=True)
class Report:
    """What one run said."""

    status: int
    said: str

    def line(self, name: str) -> str:
        """The line of that name with the one below it, in which it is mended."""
        lines = self.said.splitlines()
        pattern = re.compile(rf"(ok|warning|FAILED) +{re.escape(name)}  +\S")
        found = [place for place, line in enumerate(lines) if pattern.match(line)]
        assert found, self.said
        return "\n".join(lines[found[0] : found[0] + 2])


type Doctor = Callable[..., Report]


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    """Run the doctor as a process in an environment of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BUDGETEER_", "DJANGO_"))}
    for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS"):
        kept.pop(name, None)

    def run(*options: str, **variables: str) -> Report:
        environment = kept | {"BUDGETEER_DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)} | variables
        done = subprocess.run(
            [sys.executable, "-m", "budgeteer.cli", "doctor", *options],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
            preexec_fn=_obey_permissions,
        )
        assert "Traceback" not in done.stdout + done.stderr
        assert done.stderr == "" or done.returncode == 2, done.stderr
        return Report(done.returncode, done.stdout or done.stderr)

    return run


def _obey_permissions() -> None:
    """Let a folder's mode hold for root as well, as it does for everybody else."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)


@pytest.fixture
def no_postgres() -> str:
    """The address of a PostgreSQL that has been stopped."""
    with servers.postgres({}) as url:
        pass
    return url


@pytest.fixture
def no_redis() -> str:
    """The address of a Redis that has been stopped."""
    with servers.redis({}) as url:
        pass
    return url


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    """An empty database."""
    with own_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="module")
def migrated_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an SQLite database made as starting the dashboard makes it."""
    folder = tmp_path_factory.mktemp("migrated") / "data"
    environment = os.environ | {"BUDGETEER_DATA_DIR": str(folder), "DATABASE_URL": ""}
    command = [sys.executable, "-m", "budgeteer.cli", "serve", "--only", "migrate"]
    subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture
def migrate(migrated_folder: Path, tmp_path: Path) -> Callable[[], object]:
    """Put a copy of the migrated database into this test's folder."""
    return lambda: shutil.copytree(migrated_folder, tmp_path / "data", dirs_exist_ok=True)


def test_its_parts_are_those_of_the_table() -> None:
    assert tuple(check.part for check in CHECKS) == PARTS


def test_an_empty_folder_has_no_database_yet_and_the_rest_is_well(doctor: Doctor, tmp_path: Path) -> None:
    report = doctor()
    assert report.status == 1
    assert "There is no database yet" in report.line("database")
    assert "→ Run: budgeteer serve." in report.line("database")
    for part in ("python", "environment", "tokenizers", "models", "static", "disk", "storage", "broker"):
        assert report.line(part).startswith("ok "), report.said
    for part in ("migrations", "worker", "scheduler", "jobs", "accounts"):
        assert "Not looked at: it needs " in report.line(part)
    assert not (tmp_path / "data" / "budgeteer.sqlite3").exists()
    assert list((tmp_path / "data" / "media").iterdir()) == []
    assert report.said.endswith("1 failed, 5 warnings.\n")


def test_a_database_nobody_migrated_says_how_to(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    sqlite3.connect(tmp_path / "data" / "budgeteer.sqlite3").close()
    (tmp_path / "data" / "budgeteer.sqlite3").touch()
    report = doctor()
    assert report.status == 1
    assert report.line("database").startswith("ok ")
    assert "migrations have not run yet, the first " in report.line("migrations")
    assert "→ Run: django-admin migrate --settings budgeteer.settings." in report.line("migrations")


def test_a_migrated_database_without_processes_lacks_only_these(doctor: Doctor, migrate: Callable[[], object]) -> None:
    migrate()
    report = doctor()
    assert report.status == 1
    assert "No worker is there" in report.line("worker")
    assert "No scheduler is there" in report.line("scheduler")
    for part in ("database", "migrations", "jobs", "accounts"):
        assert report.line(part).startswith("ok "), report.said


def test_a_database_of_a_later_version_is_a_warning(
    doctor: Doctor, migrate: Callable[[], object], tmp_path: Path
) -> None:
    migrate()
    with sqlite3.connect(tmp_path / "data" / "budgeteer.sqlite3") as connection:
        connection.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('jobs', '9999_later', '')")
    connection.close()
    report = doctor("--only", "migrations")
    assert report.status == 0
    assert "A later version has run 1 migration that this one has not, the first jobs.9999_later." in report.line(
        "migrations"
    )


def test_every_mistake_in_the_environment_is_a_line(doctor: Doctor) -> None:
    report = doctor(BUDGETEER_MOED="team", BUDGETEER_UPLOAD_MAX_MB="many", SECRET_KEY_FILE="/nowhere/key")
    assert report.status == 1
    for sentence in (
        "BUDGETEER_MOED='team' is set, but Budgeteer has no such setting. Did you mean BUDGETEER_MODE?",
        "BUDGETEER_UPLOAD_MAX_MB='many' cannot be used; expected a whole number from 1 to 10000.",
        "SECRET_KEY_FILE='/nowhere/key' cannot be read; expected the path of a readable file.",
    ):
        assert f"FAILED   environment  {sentence}" in report.said
    assert report.line("tokenizers").startswith("ok ")
    assert "Not looked at: it needs environment." in report.line("storage")


def test_what_team_mode_lacks_is_said_as_the_settings_say_it(doctor: Doctor) -> None:
    report = doctor("--only", "environment", BUDGETEER_MODE="team")
    assert report.status == 1
    assert "SECRET_KEY is not set; team mode needs a long random value (or SECRET_KEY_FILE)." in report.said
    assert "ALLOWED_HOSTS is not set; team mode needs the host names it answers to." in report.said


def test_a_short_secret_fails_and_is_not_repeated(doctor: Doctor) -> None:
    report = doctor(BUDGETEER_MODE="team", SECRET_KEY="s" * 50, ALLOWED_HOSTS="*", BUDGETEER_HTTPS="no")
    assert report.status == 1
    assert "SECRET_KEY can be guessed" in report.line("secret")
    assert "passwords and cookies travel in the clear" in report.line("https")
    assert "answers to any name" in report.line("hosts")
    assert "s" * 50 not in report.said


def test_https_without_a_trusted_proxy_is_a_warning(doctor: Doctor) -> None:
    report = doctor("--only", "environment", BUDGETEER_MODE="team", SECRET_KEY=SECRET, ALLOWED_HOSTS="b.example")
    assert report.status == 0
    assert "no proxy is trusted" in report.line("https")
    assert SECRET not in report.said


def test_letters_without_an_address_of_their_own_are_a_warning(doctor: Doctor) -> None:
    team = {"BUDGETEER_MODE": "team", "SECRET_KEY": SECRET, "ALLOWED_HOSTS": "b.example"}
    team["BUDGETEER_MAIL_URL"] = "console:"
    assert "Set BUDGETEER_MAIL_SITE" in doctor("--only", "environment", **team).said
    named = doctor("--only", "environment", **team, BUDGETEER_MAIL_SITE="https://b.example")
    assert "BUDGETEER_MAIL_SITE" not in named.said


def test_servers_that_are_stopped(doctor: Doctor, no_postgres: str, no_redis: str) -> None:
    report = doctor(DATABASE_URL=no_postgres, REDIS_URL=no_redis)
    assert report.status == 1
    assert report.line("database").startswith("FAILED   database          It cannot be opened: ")
    assert "→ Check that it is running, that DATABASE_URL is right" in report.line("database")
    assert report.line("broker").startswith("FAILED   broker            Redis does not answer: ")
    assert "→ Check that it is running and that REDIS_URL is right." in report.line("broker")
    assert "Not looked at: it needs migrations." in report.line("jobs")
    assert report.line("storage").startswith("ok ")


@pytest.mark.slow
def test_servers_that_hang(doctor: Doctor) -> None:
    with silent_server() as port:
        report = doctor(DATABASE_URL=f"postgresql://b:word@127.0.0.1:{port}/b", REDIS_URL=f"redis://127.0.0.1:{port}/0")
    assert report.status == 1
    assert report.line("database").startswith("FAILED ")
    assert report.line("broker").startswith("FAILED   broker            Redis does not answer: ")
    assert "word" not in report.said.replace("passwords", "")


@pytest.mark.slow
def test_a_worker_asked_for_by_itself_fails_where_the_database_hangs_or_is_down(
    doctor: Doctor, no_postgres: str
) -> None:
    with silent_server() as port:
        report = doctor("--only", "worker", DATABASE_URL=f"postgresql://b@127.0.0.1:{port}/b")
        assert (report.status, report.line("worker").split()[0]) == (1, "FAILED")
    report = doctor("--only", "worker", DATABASE_URL=no_postgres)
    assert report.status == 1
    assert "The database cannot say: " in report.line("worker")


@pytest.mark.slow
@pytest.mark.parametrize("part", ["worker", "scheduler"])
def test_a_process_asked_for_by_itself_is_missed_in_an_empty_and_in_a_migrated_database(
    doctor: Doctor, database: str, migrate: Callable[[], object], part: str
) -> None:
    empty = doctor("--only", part, DATABASE_URL=database)
    assert empty.status == 1
    assert "Run: django-admin migrate" in empty.line(part)
    migrate()
    report = doctor("--only", part)
    assert report.status == 1
    assert f"No {part} of this host" in report.line(part)
    assert f"budgeteer serve --only {part}" in report.line(part)


@pytest.mark.slow
def test_folders_that_cannot_be_written_to(doctor: Doctor, migrate: Callable[[], object], tmp_path: Path) -> None:
    migrate()
    data = tmp_path / "data"
    with ExitStack() as restored:
        for folder in (data / "media", data / "broker" / "queue"):
            folder.mkdir(exist_ok=True, parents=True)
            folder.chmod(0o500)
            restored.callback(folder.chmod, 0o700)
        report = doctor()
    assert report.status == 1
    assert "A file cannot be kept in " in report.line("storage")
    assert "→ Let this account write to that folder" in report.line("storage")
    assert "Messages cannot be written to " in report.line("broker")
    assert report.line("database").startswith("ok ")


def test_a_data_folder_that_cannot_be_made(doctor: Doctor, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        report = doctor()
    finally:
        tmp_path.chmod(0o700)
    assert report.status == 1
    assert f"BUDGETEER_DATA_DIR='{tmp_path / 'data'}' cannot be written to (Permission denied)." in report.said
    assert report.line("tokenizers").startswith("ok ")


@pytest.mark.slow
def test_a_bucket_that_is_well_missing_stopped_or_hangs(doctor: Doctor) -> None:
    def look(address: str, bucket: str = "budgeteer-tests") -> Report:
        storage = f"s3://{bucket}/doctor?endpoint={address}&region=us-east-1"
        keys = {"AWS_ACCESS_KEY_ID": "a-key", "AWS_SECRET_ACCESS_KEY": "a-secret"}
        return doctor("--only", "storage", BUDGETEER_STORAGE=storage, **keys)

    with bucket_server() as address:
        made = Request(f"{address}/budgeteer-tests", method="PUT")
        urlopen(made, timeout=10).close()
        assert look(address).line("storage").startswith("ok       storage  Files are kept in budgeteer-tests.")
        missing = look(address, "no-such-bucket")
    assert "There is no bucket no-such-bucket." in missing.line("storage")
    assert "→ Make it, or correct BUDGETEER_STORAGE." in missing.line("storage")
    stopped = look(address)
    assert (missing.status, stopped.status) == (1, 1)
    with silent_server() as port:
        silent = look(f"http://127.0.0.1:{port}")
    assert "It has not answered for " in silent.line("storage")
    assert "a-secret" not in missing.said + stopped.said + silent.said


def test_static_files_nobody_collected(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    report = doctor("--only", "static", BUDGETEER_STATIC_ROOT=str(tmp_path / "static"))
    assert report.status == 1
    assert "→ Run: django-admin collectstatic" in report.line("static")


def test_a_redis_that_throws_messages_away_is_a_warning(doctor: Doctor) -> None:
    with servers.redis({}) as url:
        from redis import Redis

        with Redis.from_url(url) as client:
            client.config_set("maxmemory-policy", "allkeys-lru")
        report = doctor("--only", "broker", REDIS_URL=url)
    assert report.status == 0
    assert report.line("broker").startswith("ok ")
    assert "→ Set maxmemory-policy noeviction in Redis." in report.line("broker memory")


@pytest.mark.slow
def test_postgresql_and_redis_that_are_well(doctor: Doctor, database: str, redis_url: str) -> None:
    report = doctor(DATABASE_URL=database, REDIS_URL=redis_url)
    assert "PostgreSQL " in report.line("database")
    assert report.line("clock").startswith("ok ")
    assert "Redis " in report.line("broker")
    assert "migrations have not run yet" in report.line("migrations")


def test_json_says_the_same(doctor: Doctor) -> None:
    report = doctor("--json")
    told = json.loads(report.said)
    assert report.status == 1
    assert told["status"] == "failed"
    by_name = {check["name"]: check for check in told["checks"]}
    assert by_name["database"]["state"] == "failed"
    assert by_name["database"]["mend"] == "Run: budgeteer serve"
    assert by_name["python"] | {"sentence": ""} == {"name": "python", "state": "ok", "sentence": "", "mend": ""}
    assert set(PARTS) <= set(by_name)


def test_one_part_shows_one_part(doctor: Doctor) -> None:
    report = doctor("--only", "models")
    assert report.status == 0
    lines = report.said.splitlines()
    assert lines[0].startswith("ok       models  ")
    assert lines[1:] == ["", "Everything works, no warnings."]


def test_a_part_there_is_not_is_bad_usage(doctor: Doctor) -> None:
    report = doctor("--only", "wrker")
    assert report.status == 2
    assert "'wrker' is not one of 'python', 'environment'" in report.said
