"""Which pages may show a report in a frame: origins that its owner names, none unless they do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponse
from django.utils.csp import CSP, build_policy

from budgeteer.engine.errors import InputError

MOST_ORIGINS: Final = 5
MOST_CHARS: Final = 600

_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1"})


def origins_in(text: str) -> list[str]:
    """The origins that a text names, separated by blanks or commas, in the form of a content policy.

    Raises:
        InputError: one is no origin (`https://`, a host, perhaps a port, and nothing else), or there are too many.
    """
    origins = list(dict.fromkeys(_origin(word) for word in re.split(r"[\s,]+", text) if word))
    if len(origins) > MOST_ORIGINS:
        raise InputError(f"{len(origins)} sites are named, and {MOST_ORIGINS} may be", mend="Name fewer")
    return origins


def allow_frames(response: HttpResponse, origins: Sequence[str]) -> None:
    """Let pages of these origins, and no others, show the answer in a frame; it may run no script there."""
    ours = cast(Mapping[str, Sequence[str]], settings.SECURE_CSP)
    policy = {**ours, "script-src": [str(CSP.NONE)], "frame-ancestors": list(origins)}
    response[str(CSP.HEADER_ENFORCE)] = build_policy(policy)
    # Old browsers know X-Frame-Options only, which cannot name an origin; where both stand, the policy holds.
    response.xframe_options_exempt = True


def _origin(word: str) -> str:
    mend = "Write each as https://wiki.example.com"
    try:
        parts = urlsplit(word.lower())
        port = parts.port
    except ValueError as error:
        raise InputError("it is no address of a site", where=word[:80], mend=mend) from error
    host = parts.hostname or ""
    is_secure = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    if not is_secure or not _HOST.fullmatch(host):
        raise InputError("it is no address of a site", where=word[:80], mend=mend)
    if parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in parts.netloc:
        raise InputError("it names more than a site", where=word[:80], mend=mend)
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")
