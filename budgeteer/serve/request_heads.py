"""Convert the head of an ASGI request to a WSGI environment (PEP 3333), rejecting malformed heads."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper

type Scope = dict[str, Any]

_UNPREFIXED = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}
_ONCE = ("host", "content-type")


def refusal_of(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Why a head is not taken, as a sentence; None where it is.

    In a WSGI environment `X_Forwarded_For` and `X-Forwarded-For` have the same name, so that the client's header would
    stand in for the one the proxy set.
    """
    seen: set[str] = set()
    for raw, _value in headers:
        name = raw.decode("latin-1").lower()
        if "_" in name:
            return f"The header {name!r} has an underscore in its name, and could pass for another one. Leave it out."
        if name in _ONCE and name in seen:
            return f"The header {name!r} stands in the request twice. Send it once."
        seen.add(name)
    return None


def environ_of(scope: Scope) -> dict[str, Any]:
    """The WSGI environment of a request, without its body; a header that came in several lines is joined in order."""
    host, port = scope.get("server") or ("", None)
    client = scope.get("client") or ("", None)
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path.partition(b"?")[0]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(host),
        "SERVER_PORT": str(port or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str(client[0]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileWrapper,
    }
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name == "transfer-encoding":
            continue  # the body that is handed on has a length
        key = _UNPREFIXED.get(name) or "HTTP_" + name.upper().replace("-", "_")
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]}{'; ' if name == 'cookie' else ', '}{text}" if key in environ else text
    return environ
