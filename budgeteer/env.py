"""Environment settings: read once by the table in `env_table.py` and validated as a whole.

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
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from dotenv import dotenv_values
from environs import Env, EnvError, FileAwareEnv, ValidationError, validate

from budgeteer.env_table import SETTINGS, Setting

PREFIX = "BUDGETEER_"
FILE_SUFFIX = "_FILE"
TRUE_WORDS, FALSE_WORDS = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class EnvironmentRefused(Exception):
    """The environment cannot be used; `problems` holds one sentence for each reason."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


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
            values[setting.name] = _read(setting, mode=values.get("BUDGETEER_MODE", ""))
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


def _read(setting: Setting, *, mode: str) -> Any:
    reader = FileAwareEnv(strip_whitespace=True) if setting.secret else Env()
    given = reader.str(setting.name, default=setting.default_in(mode))
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


def _parse_address(_setting: Setting, given: str) -> str:
    parts = urlsplit(given)
    if given and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValidationError("not an address")
    return given.rstrip("/")


def _parse_bucket(_setting: Setting, given: str) -> dict[str, str] | None:
    """Name, folder, endpoint and region of a bucket; an endpoint of its own is any server that speaks the protocol."""
    if not given:
        return None
    parts = urlsplit(given)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    endpoint = options.pop("endpoint", "")
    region = options.pop("region", "")
    if parts.scheme != "s3" or not parts.netloc or "@" in parts.netloc or options:
        raise ValidationError("not a bucket")
    if endpoint and (urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname):
        raise ValidationError("not an endpoint")
    return {"bucket": parts.netloc, "folder": parts.path.strip("/"), "endpoint": endpoint, "region": region}


def _parse_mail(_setting: Setting, given: str) -> dict[str, Any] | None:
    """Django's backend and its options for a mail server."""
    parts = urlsplit(given)
    backends = "django.core.mail.backends"
    if not given:
        return None
    if given == "console:":
        return {"BACKEND": f"{backends}.console.EmailBackend"}
    if parts.scheme == "file" and parts.path and not parts.netloc:
        return {"BACKEND": f"{backends}.filebased.EmailBackend", "OPTIONS": {"file_path": unquote(parts.path)}}
    if parts.scheme not in _MAIL_PORTS or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValidationError("not a mail server")
    options = {
        "host": unquote(parts.hostname),
        "port": parts.port or _MAIL_PORTS[parts.scheme],
        "username": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "use_ssl": parts.scheme == "smtps",
        "use_tls": parts.scheme == "smtp+starttls",
        "timeout": MAIL_SECONDS,
    }
    return {"BACKEND": f"{backends}.smtp.EmailBackend", "OPTIONS": options}


#: The usual ports: RFC 8314 for submission by TLS, RFC 6409 for submission, RFC 5321.
_MAIL_PORTS = {"smtps": 465, "smtp+starttls": 587, "smtp": 25}
MAIL_SECONDS = 20

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
    "mail server": _parse_mail,
    "bucket": _parse_bucket,
    "address": _parse_address,
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
