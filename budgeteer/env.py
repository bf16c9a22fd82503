"""Every setting the environment can hold, as one table, read once and checked whole.

A misspelt `BUDGETEER_…` name or a malformed value is refused with a sentence that names the
variable, its value and what is expected, so a typing error never becomes a default in silence.
Values come from the process's environment, then from a `.env` file in the working folder; a
secret may also stand in a file named by `<NAME>_FILE`.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from dotenv import dotenv_values
from environs import Env, EnvError, FileAwareEnv, ValidationError, validate

PREFIX = "BUDGETEER_"
FILE_SUFFIX = "_FILE"
TRUE_WORDS, FALSE_WORDS = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class EnvironmentRefused(Exception):
    """The environment cannot be used; `problems` holds one sentence for each reason."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: how a variable is read, what it means and what is used without it.

    Attributes:
        kind: a key of `EXPECTED`.
        default: as it would be written in the environment; "" where there is none.
        secret: it may be given as a file, and its value is never repeated in a message.
        bounds: least and greatest value of a number.
    """

    name: str
    kind: str
    default: str
    meaning: str
    secret: bool = False
    choices: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None

    @property
    def expected(self) -> str:
        """What the value has to be, as a clause."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.bounds:
            return f"{EXPECTED[self.kind]} from {self.bounds[0]:g} to {self.bounds[1]:g}"
        return EXPECTED[self.kind]


EXPECTED = {
    "text": "text",
    "choice": "one of the listed words",
    "whole number": "a whole number",
    "number": "a number",
    "yes or no": "yes or no (also true/false, on/off, 1/0)",
    "list": "values separated by commas",
    "folder": "the path of a folder",
    "database": "an address like postgresql://user:password@host:5432/name or sqlite:///path/to/file",
    "redis": "an address like redis://host:6379/0",
}

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "BUDGETEER_MODE",
        "choice",
        "local",
        "local: one user on this computer, loopback only, signed in by a one-time link. team: real sign-in.",
        choices=("local", "team"),
    ),
    Setting("BUDGETEER_DATA_DIR", "folder", "var", "Where uploads, the SQLite database and the local broker live."),
    Setting(
        "SECRET_KEY",
        "text",
        "",
        "Signs sessions and links. Local mode makes its own and keeps it in the data folder; team mode needs one.",
        secret=True,
    ),
    Setting("DATABASE_URL", "database", "", "The database; without it, SQLite in the data folder.", secret=True),
    Setting("REDIS_URL", "redis", "", "The broker; without it, files in the data folder.", secret=True),
    Setting("ALLOWED_HOSTS", "list", "", "Host names the dashboard answers to in team mode; local mode: loopback."),
    Setting("CSRF_TRUSTED_ORIGINS", "list", "", "Origins whose forms are taken, such as https://budget.example.org."),
    Setting("BUDGETEER_HTTPS", "yes or no", "yes", "Team mode: secure cookies, strict transport security, redirects."),
    Setting(
        "BUDGETEER_TRUST_PROXY",
        "yes or no",
        "no",
        "Believe X-Forwarded-Proto and X-Forwarded-For, where a proxy of ours sets both.",
    ),
    Setting(
        "BUDGETEER_PROXY_HOPS",
        "whole number",
        "1",
        "How many proxies of ours a request passes; the client's address is that many from the right of "
        "X-Forwarded-For.",
        bounds=(1, 10),
    ),
    Setting(
        "BUDGETEER_SIGN_IN_TRIES",
        "whole number",
        "10",
        "Tries to sign in with one account name that may fail within the window; then it has to wait.",
        bounds=(1, 10_000),
    ),
    Setting(
        "BUDGETEER_SIGN_IN_TRIES_PER_ADDRESS",
        "whole number",
        "50",
        "The same for all tries from one address, one-time links counted apart.",
        bounds=(1, 10_000),
    ),
    Setting(
        "BUDGETEER_SIGN_IN_WINDOW_MINUTES",
        "whole number",
        "15",
        "How long a failed try to sign in counts.",
        bounds=(1, 1440),
    ),
    Setting("BUDGETEER_STATIC_ROOT", "folder", "", "A folder filled by collectstatic; without it, the packaged files."),
    Setting(
        "BUDGETEER_WEB_PROCESSES",
        "whole number",
        "1",
        "Processes that answer requests; each keeps its own copy of what previews read.",
        bounds=(1, 64),
    ),
    Setting(
        "BUDGETEER_WEB_THREADS",
        "whole number",
        "8",
        "Requests that each of these processes answers at a time.",
        bounds=(1, 256),
    ),
    Setting("BUDGETEER_DEBUG", "yes or no", "no", "Django's debug pages, for work on Budgeteer; local mode only."),
    Setting("BUDGETEER_LOG_FORMAT", "choice", "console", "How log lines are written.", choices=("console", "json")),
    Setting(
        "BUDGETEER_LOG_LEVEL",
        "choice",
        "info",
        "The least important lines that are written.",
        choices=("debug", "info", "warning", "error"),
    ),
    Setting("BUDGETEER_UPLOAD_MAX_MB", "whole number", "200", "The largest upload, in megabytes.", bounds=(1, 10_000)),
    Setting(
        "BUDGETEER_JOB_HEARTBEAT_SECONDS", "number", "2", "How often a worker says it is alive.", bounds=(0.05, 60)
    ),
    Setting(
        "BUDGETEER_JOB_STALE_SECONDS",
        "number",
        "20",
        "Silence after which a running job is given to another worker.",
        bounds=(0.5, 3600),
    ),
    Setting(
        "BUDGETEER_JOB_RESEND_SECONDS",
        "number",
        "10",
        "How long a queued job may wait unclaimed before it is sent again (doubled each time).",
        bounds=(0.2, 3600),
    ),
    Setting("BUDGETEER_JOB_REAP_SECONDS", "number", "5", "How often lost jobs are looked for.", bounds=(0.2, 3600)),
    Setting(
        "BUDGETEER_JOB_MAX_ATTEMPTS",
        "whole number",
        "5",
        "How many workers a job may lose before it has failed.",
        bounds=(1, 100),
    ),
    Setting("BUDGETEER_CORPUS", "text", "", "Tests only: a folder of real files to run over as well."),
)


def settings_table() -> tuple[Setting, ...]:
    """Every setting in the order of the documentation."""
    return SETTINGS


def read_environment() -> dict[str, Any]:
    """All settings by name, parsed; database addresses as Django's dict (without the engine's options).

    Raises:
        EnvironmentRefused: a name nobody knows or a value that cannot be used; every one of them.
    """
    _adopt_dotenv(Path.cwd() / ".env")
    problems = [_unknown_sentence(name) for name in sorted(os.environ) if _is_unknown(name)]
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        try:
            values[setting.name] = _read(setting)
        except (EnvError, ValidationError, ValueError) as error:
            problems.append(_malformed_sentence(setting, error))
    if problems:
        raise EnvironmentRefused(problems)
    return values


def database_from_url(url: str) -> dict[str, Any]:
    """Django's database dict of an address: `ENGINE`, `NAME`, `HOST`, … and `OPTIONS` from the query.

    Raises:
        ValidationError: another scheme than sqlite, postgres or postgresql, or no name.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        name = unquote(parts.path.removeprefix("/"))
        if not name or parts.netloc:
            raise ValidationError("no path")
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": name}
    if parts.scheme not in ("postgres", "postgresql") or len(parts.path) < 2:
        raise ValidationError("not a known kind of database, or no name")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _read(setting: Setting) -> Any:
    reader = FileAwareEnv(strip_whitespace=True) if setting.secret else Env()
    given = reader.str(setting.name, default=setting.default)
    return _PARSERS[setting.kind](setting, given.strip())


def _parse_choice(setting: Setting, given: str) -> str:
    validate.OneOf(setting.choices)(given)
    return given


def _parse_number(setting: Setting, given: str) -> float:
    value = int(given) if setting.kind == "whole number" else float(given)
    if not math.isfinite(value):
        raise ValidationError("not a number")
    if setting.bounds:
        validate.Range(*setting.bounds)(value)
    return value


def _parse_truth(_setting: Setting, given: str) -> bool:
    if given.lower() not in TRUE_WORDS + FALSE_WORDS:
        raise ValidationError("neither yes nor no")
    return given.lower() in TRUE_WORDS


def _parse_folder(_setting: Setting, given: str) -> Path | None:
    path = Path(given).expanduser().absolute() if given else None
    if path and path.exists() and not path.is_dir():
        raise ValidationError("not a folder")
    return path


def _parse_redis(_setting: Setting, given: str) -> str:
    parts = urlsplit(given)
    if given and (parts.scheme not in ("redis", "rediss") or not parts.hostname):
        raise ValidationError("not a Redis address")
    return given


_PARSERS: Mapping[str, Callable[[Setting, str], Any]] = {
    "text": lambda _setting, given: given,
    "choice": _parse_choice,
    "whole number": _parse_number,
    "number": _parse_number,
    "yes or no": _parse_truth,
    "list": lambda _setting, given: [part.strip() for part in given.split(",") if part.strip()],
    "folder": _parse_folder,
    "database": lambda _setting, given: database_from_url(given) if given else None,
    "redis": _parse_redis,
}


def _adopt_dotenv(path: Path) -> None:
    """What `.env` says where the environment says nothing, for this process and its children."""
    if path.is_file():
        for name, value in dotenv_values(path).items():
            if value is not None:
                os.environ.setdefault(name, value)


def _known_names() -> list[str]:
    return [s.name for s in SETTINGS] + [s.name + FILE_SUFFIX for s in SETTINGS if s.secret]


def _is_unknown(name: str) -> bool:
    return name.startswith(PREFIX) and name not in _known_names()


def _unknown_sentence(name: str) -> str:
    near = difflib.get_close_matches(name, _known_names(), n=1)
    hint = f"Did you mean {near[0]}?" if near else "See .env.example for the names there are."
    return f"{name}={os.environ[name]!r} is set, but Budgeteer has no such setting. {hint}"


def _malformed_sentence(setting: Setting, error: Exception) -> str:
    file_name = setting.name + FILE_SUFFIX
    if setting.secret and os.environ.get(file_name):
        if isinstance(error, ValueError):
            return f"{file_name}={os.environ[file_name]!r} cannot be read; expected the path of a readable file."
        return f"{file_name}={os.environ[file_name]!r} holds something malformed; expected {setting.expected}."
    shown = "(hidden)" if setting.secret else repr(os.environ.get(setting.name, setting.default))
    return f"{setting.name}={shown} cannot be used; expected {setting.expected}."
