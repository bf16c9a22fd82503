"""A relay in front of a server that can be frozen: connections stay open and nothing comes through."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Relay:
    """Passes bytes on in both directions while `open` is set."""

    target: int
    listening: socket.socket
    open: threading.Event = field(default_factory=threading.Event)
    sockets: list[socket.socket] = field(default_factory=list)

    @property
    def port(self) -> int:
        port: int = self.listening.getsockname()[1]
        return port

    def freeze(self) -> None:
        self.open.clear()

    def thaw(self) -> None:
        self.open.set()

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                self.sockets += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self.open.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def relay_to(port: int) -> Iterator[Relay]:
    """A relay to that port of the loopback, thawed; every connection ends with it."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(50)
        relay = Relay(port, listening)
        relay.thaw()
        threading.Thread(target=relay.serve, daemon=True).start()
        try:
            yield relay
        finally:
            relay.thaw()
            listening.shutdown(socket.SHUT_RDWR)
            for one in relay.sockets:
                one.close()
