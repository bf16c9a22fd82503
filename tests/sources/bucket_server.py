"""A server that speaks S3 on a port of its own, seen through a proxy that counts what goes over the wire."""

from __future__ import annotations

import socket
import socketserver
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests import servers

BUCKET = "budgeteer-tests"
KEYS = {"access_key": "a-key", "secret_key": "a-secret"}


@contextmanager
def bucket_server() -> Iterator[str]:
    """The address of a server with an empty memory, a process of its own."""
    with tempfile.TemporaryDirectory(prefix="budgeteer-bucket-") as folder:
        program = servers.Program(_arguments, folder=Path(folder))
        port = servers.free_port()
        with (Path(folder) / "log").open("w") as output:
            process = program.start(port, output)
        try:
            assert servers.wait_until_ready(process, port, _answers), (Path(folder) / "log").read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(servers.STOP_SECONDS)


def _arguments(port: int) -> list[str]:
    return [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
        connection.sendall(b"GET /moto-api/ HTTP/1.0\r\n\r\n")
        return connection.recv(16).startswith(b"HTTP/1")
    return False


@dataclass(slots=True)
class Wire:
    """A proxy in front of a server.

    Attributes:
        received: bytes that came from the server so far.
        requests: the request lines so far.
        is_cut: nobody is let through any more.
    """

    address: str = ""
    received: int = 0
    requests: list[str] = field(default_factory=list)
    is_cut: bool = False

    def reset(self) -> None:
        """Count from nothing."""
        self.received, self.requests = 0, []


@contextmanager
def counting_proxy(address: str) -> Iterator[Wire]:
    """A way to the server that counts."""
    wire = Wire()
    target = int(address.rpartition(":")[2])

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if wire.is_cut:
                return
            with socket.create_connection(("127.0.0.1", target)) as server:
                back = threading.Thread(target=self._back, args=(server,), daemon=True)
                back.start()
                with suppress(OSError):
                    while (data := self.request.recv(65_536)) and not wire.is_cut:
                        if b" HTTP/1.1\r\n" in data:
                            wire.requests.append(data.split(b" HTTP/1.1")[0].decode("latin-1"))
                        server.sendall(data)
                with suppress(OSError):
                    server.shutdown(socket.SHUT_RDWR)
                back.join(5)

        def _back(self, server: socket.socket) -> None:
            with suppress(OSError):
                while data := server.recv(65_536):
                    wire.received += len(data)
                    self.request.sendall(data)

    with _serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)) as port:
        wire.address = f"http://127.0.0.1:{port}"
        yield wire


@contextmanager
def refusing_server(status: int, code: str) -> Iterator[str]:
    """The address of a server that answers every request with one S3 error."""
    body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()

    class Handler(BaseHTTPRequestHandler):
        def _refuse(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _refuse  # noqa: N815 - the names of http.server

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _serving(server: socketserver.BaseServer) -> Iterator[int]:
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
