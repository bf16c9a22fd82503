"""The environment is checked whole: what cannot be used ends the process with a sentence, never a traceback."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from budgeteer.env import database_from_url, settings_table
from budgeteer.env_table import SETTINGS
from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).parent.parent
OURS = {name for setting in SETTINGS for name in (setting.name, f"{setting.name}_FILE")}
SHOW = "from django.conf import settings; print({expression})"


def run(*command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in an environment that holds these variables of ours and no others, in an empty folder."""
    inherited = {name: value for name, value in os.environ.items() if name not in OURS}
    environment = inherited | {"PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "budgeteer.settings"} | variables
    return subprocess.run(
        [sys.executable, *command],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def show(expression: str, *, folder: Path, **variables: str) -> str:
    done = run("-c", SHOW.format(expression=expression), folder=folder, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def refusal(folder: Path, **variables: str) -> str:
    done = run("-c", SHOW.format(expression="settings.DEBUG"), folder=folder, **variables)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("BUDGETEER_MODE", "solo", "BUDGETEER_MODE='solo' cannot be used; expected one of local, team."),
        (
            "BUDGETEER_UPLOAD_MAX_MB",
            "lots",
            "BUDGETEER_UPLOAD_MAX_MB='lots' cannot be used; expected a whole number from 1 to 10000.",
        ),
        (
            "BUDGETEER_JOB_MAX_ATTEMPTS",
            "0",
            "BUDGETEER_JOB_MAX_ATTEMPTS='0' cannot be used; expected a whole number from 1 to 100.",
        ),
        (
            "BUDGETEER_JOB_STALE_SECONDS",
            "nan",
            "BUDGETEER_JOB_STALE_SECONDS='nan' cannot be used; expected a number from 0.5 to 3600.",
        ),
        (
            "BUDGETEER_DEBUG",
            "maybe",
            "BUDGETEER_DEBUG='maybe' cannot be used; expected yes or no (also true/false, on/off, 1/0).",
        ),
        (
            "REDIS_URL",
            "localhost:6379",
            "REDIS_URL=(hidden) cannot be used; expected an address like redis://host:6379/0.",
        ),
        ("DATABASE_URL", "mysql://root:hunter2@db/x", "DATABASE_URL=(hidden) cannot be used; expected an address like"),
        (
            "BUDGETEER_DATA_DIR",
            __file__,
            f"BUDGETEER_DATA_DIR={__file__!r} cannot be used; expected the path of a folder.",
        ),
    ],
)
def test_a_malformed_value_is_refused_with_name_value_and_what_is_expected(
    tmp_path: Path, name: str, value: str, expected: str
) -> None:
    said = refusal(tmp_path, **{name: value})
    assert expected in said
    assert "hunter2" not in said


@pytest.mark.slow
def test_a_misspelt_name_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    said = refusal(tmp_path, BUDGETEER_DATADIR="/srv")
    assert "BUDGETEER_DATADIR='/srv' is set, but Budgeteer has no such setting." in said
    assert "Did you mean BUDGETEER_DATA_DIR?" in said


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, BUDGETEER_MOOD="good", BUDGETEER_MODE="solo", REDIS_URL="x")
    assert len(said.splitlines()) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("-m", "celery", "-A", "budgeteer.celery", "worker"),
        ("-m", "celery", "-A", "budgeteer.celery", "beat"),
        (str(ROOT / "manage.py"), "check"),
        ("-c", "from budgeteer.cli.program import main; main(['serve'])"),
    ],
    ids=["worker", "beat", "manage.py", "serve"],
)
def test_every_entrance_refuses_in_the_same_way(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(*command, folder=tmp_path, BUDGETEER_MODE="solo")
    assert done.returncode == 2
    assert "BUDGETEER_MODE='solo' cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


def test_local_mode_makes_a_secret_once_and_keeps_it_private(tmp_path: Path) -> None:
    first, second = (show("settings.SECRET_KEY", folder=tmp_path) for _ in range(2))
    assert first == second
    assert len(first) >= 50
    kept = tmp_path / "var" / "secret_key"
    assert kept.read_text() == first
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_secret_that_was_cut_off_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret_key").touch()
    assert len(show("settings.SECRET_KEY", folder=tmp_path)) >= 50
    assert [path.name for path in (tmp_path / "var").glob("secret_key*")] == ["secret_key"]


def test_a_data_folder_that_cannot_be_written_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot be written to" in refusal(tmp_path, BUDGETEER_DATA_DIR=str(tmp_path / "file" / "var"))


def test_team_mode_without_a_secret_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, BUDGETEER_MODE="team", ALLOWED_HOSTS="budget.example.org")
    assert "SECRET_KEY is not set; team mode needs a long random value (or SECRET_KEY_FILE)." in said
    assert not (tmp_path / "var" / "secret_key").exists()


def test_team_mode_with_a_secret_that_can_be_guessed_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, BUDGETEER_MODE="team", SECRET_KEY="s" * 49, ALLOWED_HOSTS="budget.example.org")
    assert "SECRET_KEY has fewer than 50 characters" in said
    assert "sssss" not in said


def test_team_mode_without_hosts_or_with_debug_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, BUDGETEER_MODE="team", SECRET_KEY="s" * 50, BUDGETEER_DEBUG="yes")
    assert "ALLOWED_HOSTS is not set" in said
    assert "BUDGETEER_DEBUG='yes' is for local mode only." in said


def test_team_mode_is_strict_about_transport(tmp_path: Path) -> None:
    team = {"BUDGETEER_MODE": "team", "SECRET_KEY": "s" * 50, "ALLOWED_HOSTS": "a.example.org, b.example.org"}
    names = ("ALLOWED_HOSTS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "DEBUG")
    expression = ", ".join(f"settings.{name}" for name in names)
    assert show(expression, folder=tmp_path, **team) == "['a.example.org', 'b.example.org'] True True True False"


def test_a_quota_of_storage_is_for_teams_unless_it_is_set(tmp_path: Path) -> None:
    team = {"BUDGETEER_MODE": "team", "SECRET_KEY": "s" * 50, "ALLOWED_HOSTS": "a.example.org"}
    default = next(setting for setting in SETTINGS if setting.name == "BUDGETEER_STORAGE_EACH_MB").default
    expression = "settings.STORAGE_EACH_BYTES"
    assert show(expression, folder=tmp_path, **team) == f"{default}000000"
    assert show(expression, folder=tmp_path) == "0"
    assert show(expression, folder=tmp_path, BUDGETEER_STORAGE_EACH_MB="7") == "7000000"
    assert show(expression, folder=tmp_path, BUDGETEER_STORAGE_EACH_MB="0", **team) == "0"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"BUDGETEER_OIDC_ISSUER": "https://id.example"}, "BUDGETEER_OIDC_CLIENT_ID is not set"),
        ({"BUDGETEER_OIDC_DOMAINS": "example.org"}, "BUDGETEER_OIDC_ISSUER is not set"),
        (
            {"BUDGETEER_OIDC_ISSUER": "http://id.example", "BUDGETEER_OIDC_CLIENT_ID": "x"},
            "BUDGETEER_OIDC_ISSUER='http://id.example' has to be an https address",
        ),
    ],
)
def test_half_a_sign_in_provider_is_refused(tmp_path: Path, variables: dict[str, str], said: str) -> None:
    team = {"BUDGETEER_MODE": "team", "SECRET_KEY": "s" * 50, "ALLOWED_HOSTS": "a.example.org"}
    assert said in refusal(tmp_path, **team, **variables)


def test_a_sign_in_provider_is_for_team_mode(tmp_path: Path) -> None:
    whole = {"BUDGETEER_OIDC_ISSUER": "https://id.example/", "BUDGETEER_OIDC_CLIENT_ID": "x"}
    assert "is for team mode" in refusal(tmp_path, **whole)
    team = {"BUDGETEER_MODE": "team", "SECRET_KEY": "s" * 50, "ALLOWED_HOSTS": "a.example.org"}
    domains, hidden = {"BUDGETEER_OIDC_DOMAINS": "@Example.org, b.org"}, {"BUDGETEER_OIDC_CLIENT_SECRET": "hunter2"}
    shown = show("settings.OIDC_PROVIDER", folder=tmp_path, **team, **whole, **domains, **hidden)
    assert "domains=('example.org', 'b.org')" in shown
    assert "hunter2" not in shown


def test_local_mode_refuses_a_host_that_is_not_loopback(tmp_path: Path) -> None:
    assert "'example.org' is not a loopback name" in refusal(tmp_path, ALLOWED_HOSTS="example.org")


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from a file\n")
    assert show("settings.SECRET_KEY", folder=tmp_path, SECRET_KEY_FILE=str(tmp_path / "key")) == "from a file"


def test_a_secret_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, SECRET_KEY_FILE=str(tmp_path / "missing"))
    assert f"SECRET_KEY_FILE={str(tmp_path / 'missing')!r} cannot be read" in said


def test_a_malformed_secret_file_is_refused_without_telling_the_secret(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("mysql://root:hunter2@db/x")
    said = refusal(tmp_path, DATABASE_URL_FILE=str(tmp_path / "url"))
    assert "DATABASE_URL_FILE" in said
    assert "hunter2" not in said


def test_a_dotenv_file_fills_in_what_the_environment_leaves_out(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("BUDGETEER_UPLOAD_MAX_MB=7\nBUDGETEER_LOG_FORMAT=json\n")
    expression = "settings.UPLOAD_MAX_BYTES"
    assert show(expression, folder=tmp_path) == "7000000"
    assert show(expression, folder=tmp_path, BUDGETEER_UPLOAD_MAX_MB="8") == "8000000"


def test_a_misspelt_name_in_a_dotenv_file_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("BUDGETEER_PORTS=7\n")
    assert "BUDGETEER_PORTS='7' is set" in refusal(tmp_path)


def test_sqlite_queues_writers_and_writes_ahead(tmp_path: Path) -> None:
    options = show("settings.DATABASES['default']['OPTIONS']", folder=tmp_path)
    for part in ("IMMEDIATE", "journal_mode=WAL", "synchronous=NORMAL", "'timeout': 20"):
        assert part in options


def test_addresses_become_databases() -> None:
    assert database_from_url("sqlite:////srv/b.sqlite3")["NAME"] == "/srv/b.sqlite3"
    given = database_from_url("postgresql://ada:p%40ss@db:5433/budget?sslmode=require")
    assert given == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "budget",
        "USER": "ada",
        "PASSWORD": "p@ss",
        "HOST": "db",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }
    socket = database_from_url("postgres://ada@%2Fvar%2Frun%2Fpostgresql/budget")
    assert socket["HOST"] == "/var/run/postgresql"


def test_every_setting_says_what_it_means() -> None:
    for setting in settings_table():
        assert setting.meaning.endswith("."), setting.name
        assert setting.expected


BUCKET = "from django.conf import settings; print(settings.STORAGES['default'])"


def test_a_bucket_is_named_with_its_folder_endpoint_and_key(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hidden\n")
    given = {
        "BUDGETEER_STORAGE": "s3://files/team/a?endpoint=https://s3.example.org:9000&region=eu-central-1",
        "AWS_ACCESS_KEY_ID": "AK",
        "AWS_SECRET_ACCESS_KEY_FILE": str(tmp_path / "key"),
    }
    said = run("-c", BUCKET, folder=tmp_path, **given).stdout
    for part in ("'files'", "'team/a'", "'https://s3.example.org:9000'", "'eu-central-1'", "'AK'", "'hidden'"):
        assert part in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"BUDGETEER_STORAGE": "https://host/bucket"}, "expected an address like s3://"),
        ({"BUDGETEER_STORAGE": "s3://"}, "expected an address like s3://"),
        ({"BUDGETEER_STORAGE": "s3://key:secret@bucket"}, "expected an address like s3://"),
        ({"BUDGETEER_STORAGE": "s3://bucket?endpoint=host"}, "expected an address like s3://"),
        ({"BUDGETEER_STORAGE": "s3://bucket?zone=x"}, "expected an address like s3://"),
        ({"BUDGETEER_STORAGE": "s3://bucket", "AWS_ACCESS_KEY_ID": "AK"}, "belong together"),
    ],
)
def test_a_bucket_that_cannot_be_meant_is_refused(tmp_path: Path, given: dict[str, str], sentence: str) -> None:
    ended = run("-c", BUCKET, folder=tmp_path, **given)
    assert ended.returncode == 2
    assert sentence in ended.stderr


def test_a_bucket_without_its_packages_is_a_sentence(tmp_path: Path) -> None:
    without = "import importlib.util as u; find = u.find_spec; "
    without += "u.find_spec = lambda name, *rest: None if name == 'boto3' else find(name, *rest); "
    ended = run("-c", without + BUCKET, folder=tmp_path, BUDGETEER_STORAGE="s3://bucket")
    assert ended.returncode == 2
    assert "BUDGETEER_STORAGE needs the package boto3; install Budgeteer as `budgeteer[s3]`." in ended.stderr
