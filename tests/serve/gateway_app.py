"""A small application behind the gateway, as granian serves it, with little patience: for tests of who is slow."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from budgeteer.serve import gateway
from budgeteer.serve.capacity import Threads
from budgeteer.serve.client_pace import Pace
from budgeteer.serve.garbage_collection import LEFT_OBJECTS

gc.disable()  # what is collected here, the gateway collects
gateway.SEND_SECONDS = 1.0
ENDLESS = 400_000_000
closed: list[str] = []
left: list[weakref.ref[Cycle]] = []


class Panic(BaseException):
    """What an extension raises that gives up."""


def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Any:
    path = environ["PATH_INFO"]
    start("200 OK", [("Content-Type", "text/plain; charset=utf-8")])
    if path == "/panic":
        raise Panic
    if path == "/cycles":
        left.extend(weakref.ref(Cycle()) for _ in range(LEFT_OBJECTS))
    if path == "/left":
        return [str(sum(cycle() is not None for cycle in left)).encode()]
    if path == "/endless":
        return Endless()
    if path == "/closed":
        return [" ".join(closed).encode()]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    refused = environ.get(gateway.REFUSED)
    told = [path, environ.get("HTTP_COOKIE", "-"), environ.get("HTTP_X_FORWARDED_FOR", "-"), body.decode("latin-1")]
    return [(refused.problem.value if refused else "|".join(told)).encode("latin-1")]


class Cycle:
    """What only the garbage collector frees."""

    def __init__(self) -> None:
        self.own = self


class Endless:
    """More than any buffer between us and the reader holds."""

    def __iter__(self) -> Iterator[bytes]:
        return (b"x" * 100_000 for _ in range(ENDLESS // 100_000))

    def close(self) -> None:
        closed.append("endless")


application = gateway.Gateway(answer, Threads(2, waiting=50), pace=Pace(window_seconds=1.0, least_bytes=1000))
