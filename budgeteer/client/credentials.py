"""The token of each dashboard that somebody logged in to, in a file for its owner only.

BUDGETEER_URL and BUDGETEER_TOKEN in the environment come first: that is how a build server has them. That token goes to
the dashboard at BUDGETEER_URL alone.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budgeteer.client.connection import checked_url
from budgeteer.engine.errors import InputError


@dataclass(frozen=True, slots=True)
class Login:
    """A dashboard and the token to it."""

    url: str
    token: str


def credentials_file() -> Path:
    """Where tokens are kept: `budgeteer/credentials.json` in the folder for settings."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "budgeteer" / "credentials.json"


def keep(login: Login) -> Path:
    """Keep a login, as the one that is used unless another is named; where."""
    kept = _read()
    kept["tokens"][login.url] = login.token
    _write({**kept, "current": login.url})
    return credentials_file()


def forget(url: str) -> bool:
    """Keep a login no longer; False where there was none."""
    kept = _read()
    if kept["tokens"].pop(url, None) is None:
        return False
    left = next(iter(kept["tokens"]), "")
    _write({**kept, "current": left if kept["current"] == url else kept["current"]})
    return True


def find(url: str = "") -> Login:
    """The login to a dashboard, by default that of the environment, else the last one.

    Raises:
        InputError: there is none, the file may be read by others, the address is none, or the environment has a token
            and no BUDGETEER_URL.
    """
    of_environment = _of_environment()
    wanted = checked_url(url) if url else of_environment.url
    if of_environment.token and wanted == of_environment.url:
        return of_environment
    kept = _read()
    wanted = wanted or kept["current"]
    if wanted not in kept["tokens"]:
        where = f"to {wanted}" if wanted else "to any dashboard"
        raise InputError(f"you are not logged in {where}", mend="Log in with: budgeteer login URL")
    return Login(wanted, kept["tokens"][wanted])


def _of_environment() -> Login:
    """What the environment names; either part may be empty, but no token stands there without its dashboard."""
    token, url = os.environ.get("BUDGETEER_TOKEN", ""), os.environ.get("BUDGETEER_URL", "")
    if token and not url:
        raise InputError(
            "it is not said which dashboard this token is for",
            where="BUDGETEER_TOKEN",
            mend="Set BUDGETEER_URL to the address of the dashboard, or unset BUDGETEER_TOKEN to use a login",
        )
    return Login(checked_url(url) if url else "", token)


def _read() -> dict[str, Any]:
    path = credentials_file()
    try:
        with path.open() as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise InputError(
                    "others may read the file of your tokens", where=str(path), mend=f"Close it with: chmod 600 {path}"
                )
            found = json.load(file)
    except FileNotFoundError:
        return {"current": "", "tokens": {}}
    except (ValueError, OSError) as error:
        raise InputError(f"it cannot be read ({error})", where=str(path), mend="Remove it and log in again") from None
    tokens = found.get("tokens") if isinstance(found, dict) else None
    if not isinstance(tokens, dict):
        raise InputError("it is no file of tokens", where=str(path), mend="Remove it and log in again")
    return {"current": str(found.get("current", "")), "tokens": tokens}


def _write(kept: dict[str, Any]) -> None:
    """Put the file in its place whole, for its owner only from the first byte."""
    path = credentials_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, written = tempfile.mkstemp(dir=path.parent, prefix="credentials.")  # made with 0600
    with os.fdopen(descriptor, "w") as file:
        json.dump(kept, file, indent=2)
    Path(written).replace(path)
