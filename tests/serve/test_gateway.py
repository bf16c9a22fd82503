"""The gateway as granian serves it, over a small application: heads, slow bodies, slow readers, what goes wrong."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator

import pytest

from budgeteer.serve.gateway import GATHERED_BYTES, Answer
from tests.serve.running import ROOT
from tests.servers import die_with_parent, free_port
from tests.waiting import PATIENCE_SECONDS, wait_until

SERVE = """
import sys
from granian import Granian
from granian.constants import HTTPModes, Interfaces
Granian("tests.serve.gateway_app:application", port=int(sys.argv[1]), interface=Interfaces.ASGINL,
        http=HTTPModes.http1, websockets=False).serve()
"""
type Say = Callable[..., bytes]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    number = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(number)],
        cwd=ROOT,
        env=os.environ,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call
    )
    wait_until(lambda: is_open(number) or process.poll() is not None, what="the server")
    yield number
    process.terminate()
    process.wait(timeout=PATIENCE_SECONDS)


def is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def said(connection: socket.socket) -> bytes:
    """All that comes until the other end is silent or gone."""
    heard = b""
    connection.settimeout(15)
    try:
        while more := connection.recv(65_536):
            heard += more
    except (TimeoutError, ConnectionResetError):
        pass
    return heard


def ask(port: int, head: bytes, body: bytes = b"") -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(head + b"\r\nHost: here\r\nConnection: close\r\n\r\n" + body)
        return said(connection)


def test_a_head_arrives_as_it_was_sent(port: int) -> None:
    answer = ask(port, b"GET /caf%C3%A9/%ff%2F?x=1 HTTP/1.1\r\nCookie: a=\xe4\r\nCookie: b=2")
    assert answer.endswith(b"/caf\xc3\xa9/\xff/|a=\xe4; b=2|-|")


def test_lines_of_one_header_are_joined_in_their_order(port: int) -> None:
    assert b"|1.1.1.1, 2.2.2.2|" in ask(port, b"GET / HTTP/1.1\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2")


@pytest.mark.parametrize("name", [b"X_Forwarded_For", b"x-forwarded_for", b"X_Anything"])
def test_a_header_with_an_underscore_is_refused_with_a_sentence(port: int, name: bytes) -> None:
    answer = ask(port, b"GET / HTTP/1.1\r\nX-Forwarded-For: 2.2.2.2\r\n" + name + b": 1.1.1.1")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"has an underscore in its name" in answer
    for header in (b"x-content-type-options: nosniff", b"content-security-policy: default-src 'none'", b"no-store"):
        assert header in answer.lower()


def test_two_hosts_are_refused(port: int) -> None:
    assert ask(port, b"GET / HTTP/1.1\r\nHost: there").startswith(b"HTTP/1.1 400")


def test_a_body_without_a_length_arrives_whole(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked"
    assert ask(port, head, b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n").endswith(b"|abcdefg")


def test_a_body_that_trickles_is_given_up(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9000\r\n\r\n")
        connection.settimeout(0.2)
        heard = b""
        for _ in range(75):
            try:
                connection.sendall(b"x")
                heard = connection.recv(65_536)
                break
            except TimeoutError:
                continue
        assert b"too slow" in heard


def test_a_body_that_never_comes_is_given_up(port: int) -> None:
    assert b"too slow" in ask(port, b"POST / HTTP/1.1\r\nContent-Length: 9000")


def test_a_reader_who_does_not_read_is_given_up_and_what_it_was_sent_from_is_closed(port: int) -> None:
    before = ask(port, b"GET /closed HTTP/1.1").count(b"endless")
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: here\r\n\r\n")
        wait_until(
            lambda: ask(port, b"GET /closed HTTP/1.1").count(b"endless") == before + 1, what="the reader given up"
        )


def test_slow_ones_take_no_thread_from_others(port: int) -> None:
    slow = [socket.create_connection(("127.0.0.1", port), timeout=15) for _ in range(12)]
    try:
        for number, connection in enumerate(slow):
            trickle = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9000\r\n\r\n"
            connection.sendall(trickle if number % 2 else b"GET /endless HTTP/1.1\r\nHost: here\r\n\r\n")
        assert ask(port, b"GET /others HTTP/1.1").endswith(b"/others|-|-|")
    finally:
        for connection in slow:
            connection.close()


def test_what_is_no_exception_is_an_answer_and_ends_nobody_else(port: int) -> None:
    answer = ask(port, b"GET /panic HTTP/1.1")
    assert answer.startswith(b"HTTP/1.1 500")
    assert b"Something went wrong here" in answer
    assert ask(port, b"GET /others HTTP/1.1").endswith(b"/others|-|-|")


def test_a_client_that_goes_away_leaves_the_server_well(port: int) -> None:
    for head in (
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9000\r\n\r\nx",
        b"GET /endless HTTP/1.1\r\nHost: h\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
            connection.sendall(head)
            time.sleep(0.1)
    assert ask(port, b"GET /others HTTP/1.1").endswith(b"/others|-|-|")


class OnePiece:
    """A response that was made in one piece, as Django makes them."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def __iter__(self) -> Iterator[bytes]:
        return iter([self.body])

    def close(self) -> None:
        pass


def test_what_an_answer_leaves_in_cycles_is_collected_after_it(port: int) -> None:
    assert ask(port, b"GET /cycles HTTP/1.1").startswith(b"HTTP/1.1 200")
    wait_until(lambda: ask(port, b"GET /left HTTP/1.1").endswith(b"\r\n\r\n0"), what="the collection")


def test_a_large_answer_lies_in_a_file_while_it_is_read() -> None:
    held: list[weakref.ref[OnePiece]] = []

    def application(_environ: object, start: Callable[..., object]) -> OnePiece:
        start("200 OK", [("Content-Type", "text/plain")])
        response = OnePiece(b"0123456789" * 500_000)
        held.append(weakref.ref(response))
        return response

    answer = Answer()
    first = answer.begin(application, {})
    gc.collect()
    assert held[0]() is None
    assert 0 < len(first) <= 2 * GATHERED_BYTES
    rest = list(iter(answer.gather, b""))
    assert answer.is_closed
    assert first + b"".join(rest) == b"0123456789" * 500_000
