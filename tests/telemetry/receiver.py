"""A service that watches: takes what OpenTelemetry's exporter and Sentry's client send, as it comes over HTTP."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Received:
    """Bodies as they came, uncompressed, by path."""

    address: str = ""
    bodies: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def raw(self) -> bytes:
        return b"\n".join(body for _, body in self.bodies)

    @property
    def spans(self) -> list[Span]:
        found = []
        for path, body in self.bodies:
            if path == "/v1/traces":
                read = ExportTraceServiceRequest.FromString(body)
                found += [span for one in read.resource_spans for scope in one.scope_spans for span in scope.spans]
        return found

    @property
    def events(self) -> list[dict[str, Any]]:
        """Errors: an envelope is a line of its own, then a line about each item and the item."""
        found = []
        for path, body in self.bodies:
            if path.endswith("/envelope/"):
                lines = body.splitlines()[1:]
                for about, item in zip(lines[::2], lines[1::2], strict=True):
                    if json.loads(about)["type"] == "event":
                        found.append(json.loads(item))
        return found


@contextmanager
def watching_service() -> Iterator[Received]:
    """One that listens on the loopback for as long as the context is open."""
    received = Received()

    class Takes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_packed = self.headers.get("Content-Encoding") == "gzip"
            received.bodies.append((self.path, gzip.decompress(body) if is_packed else body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Takes)
    received.address = f"http://127.0.0.1:{server.server_port}"
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    serving.start()
    try:
        yield received
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
