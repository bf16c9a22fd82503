"""A real HTTP server that speaks the chat completions protocol, and misbehaves as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

type Reply = Callable[[Handler], None]


@dataclass
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    connection: int
    at: float


@dataclass
class ModelServer:
    """Its address, what it was asked, and what it will reply, one after the other; the last reply stays."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def next_reply(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    model: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.model.asked.append(Asked(self.path, dict(self.headers), body, self.client_address[1], time.monotonic()))
        self.model.next_reply()(self)

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_line: object) -> None:
        """Tests read `asked` instead."""


@contextmanager
def model_server(*replies: Reply) -> Iterator[ModelServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model = ModelServer(f"http://127.0.0.1:{server.server_address[1]}/v1", replies=list(replies))
    server.RequestHandlerClass = type("Bound", (Handler,), {"model": model})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def says(text: str | None, *, finish_reason: str = "stop") -> Reply:
    """A completion."""
    message = {"role": "assistant", "content": text}
    completion = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
    }
    return replies_with(200, completion)


def replies_with(status: int, body: object, **headers: str) -> Reply:
    return lambda handler: handler.answer(status, json.dumps(body).encode(), **headers)


def fails(status: int, message: str = "no", **headers: str) -> Reply:
    """An error in the protocol's form."""
    return replies_with(status, {"error": {"message": message, "type": "error", "code": None}}, **headers)


def hangs(handler: Handler) -> None:
    """Take the request and never answer."""
    handler.model.closing.wait(30)


def trickles(handler: Handler) -> None:
    """A byte now and then, so that no read ever times out."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.model.closing.wait(0.05):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            return


def hangs_up(handler: Handler) -> None:
    """Close the connection in place of an answer."""
    handler.close_connection = True
    handler.connection.close()
