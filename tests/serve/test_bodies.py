"""How much may be sent to the dashboard as it is served to a team, and what a header may pretend."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.test import Client

from tests import people
from tests.jobs import workers
from tests.serve.running import PROGRAM, ROOT, answers, descendants_of
from tests.servers import die_with_parent, free_port
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "a key of these tests only, long enough for nobody to guess it: 0123456789"
LARGE = 8_000_000
FORM = "application/x-www-form-urlencoded"
TOKEN = "t" * 32


@dataclass(frozen=True)
class Web:
    """The web part, and what was answered."""

    port: int
    pid: int

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            named = {name.replace("__", "-") if "-" not in name else name: value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def peak_bytes(self) -> int:
        """The most memory any of its processes ever held."""
        found = [Path(f"/proc/{pid}/status").read_text() for pid in (self.pid, *descendants_of(self.pid))]
        return max(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1000 for status in found)


@pytest.fixture(scope="module")
def web(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    port = free_port()
    variables = {
        "BUDGETEER_MODE": "team",
        "SECRET_KEY": KEY,
        "ALLOWED_HOSTS": "127.0.0.1",
        "BUDGETEER_HTTPS": "no",
        "BUDGETEER_TRUST_PROXY": "yes",
        "BUDGETEER_SIGN_IN_TRIES_PER_ADDRESS": "2",
        "BUDGETEER_DATA_DIR": str(tmp_path_factory.mktemp("team")),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "--only", "web", "--port", str(port)],
        env=os.environ | workers.same_servers() | variables,
        cwd=ROOT,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call
    )
    wait_until(lambda: answers(port) or process.poll() is not None, what="the web part to answer")
    yield Web(port, process.pid)
    process.terminate()
    process.wait(timeout=PATIENCE_SECONDS)


@pytest.fixture
def cookie(settings) -> str:
    """An editor's, with the token of a form."""
    settings.SECRET_KEY = KEY
    client = Client()
    client.force_login(people.editor("ada"))
    return f"budgeteer_session={client.cookies['budgeteer_session'].value}; budgeteer_csrf={TOKEN}"


def pieces(body: bytes) -> Iterator[bytes]:
    return (body[start : start + 65_536] for start in range(0, len(body), 65_536))


PART = b'--x\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n'
MULTIPART = "multipart/form-data; boundary=x"
KINDS = [
    (FORM, b"username=" + b"%41" * (LARGE // 3)),
    (MULTIPART, PART % (b"username", b"a" * LARGE)),
    ("application/json", b"[" * LARGE),
    ("text/plain", b"a" * LARGE),
    ("", b"a" * LARGE),
]


@pytest.mark.parametrize("body", [b"ffffffffffffffffff\r\na\r\n", b"zz\r\na\r\n"], ids=["too large", "no number"])
def test_pieces_without_a_size_are_the_senders_error_and_none_of_the_server(web: Web, body: bytes) -> None:
    head = b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(head + body)
        heard = connection.recv(4096)
    assert heard.startswith(b"HTTP/1.1 400 ")


@pytest.mark.slow
@pytest.mark.parametrize("announced", [True, False], ids=["with a length", "in chunks"])
@pytest.mark.parametrize(("kind", "body"), KINDS, ids=["form", "multipart", "JSON", "text", "no type"])
def test_a_stranger_may_send_a_small_form_of_whatever_kind_and_no_more(
    web: Web, kind: str, body: bytes, announced: bool
) -> None:
    before = web.peak_bytes()
    headers = {"Content-Type": kind} if kind else {}
    status, page = web.ask("POST", "/sign-in/", body if announced else pieces(body), **headers)
    assert status == 413
    assert "you are not signed in, and this is too large for a form" in page
    assert web.peak_bytes() - before < 40_000_000


@pytest.mark.parametrize("announced", [True, False], ids=["with a length", "in chunks"])
@pytest.mark.parametrize(("path", "kind"), [("/w/new/", FORM), ("/sources/upload/", FORM), ("/w/new/", MULTIPART)])
def test_somebody_signed_in_may_send_a_form_of_one_megabyte(
    web: Web, cookie: str, path: str, kind: str, announced: bool
) -> None:
    body = b"a" * 1_100_000
    status, page = web.ask("POST", path, body if announced else pieces(body), Cookie=cookie, **{"Content-Type": kind})
    assert status == 413
    assert "more than the limit of 1 MB for a form. Send less at a time, or upload it as a file" in page


@pytest.mark.parametrize("announced", [True, False], ids=["with a length", "in chunks"])
def test_an_upload_may_be_larger(web: Web, cookie: str, announced: bool) -> None:
    text = b"User: one\nAssistant: two\n" * 60_000
    body = PART % (b"csrfmiddlewaretoken", TOKEN.encode()) + PART % (b"text", text) + b"--x--\r\n"
    sent = body if announced else pieces(body)
    status, page = web.ask("POST", "/sources/upload/", sent, Cookie=cookie, **{"Content-Type": MULTIPART})
    assert status == 302, page


@pytest.mark.parametrize("announced", [True, False], ids=["with a length", "in chunks"])
@pytest.mark.parametrize("size", [LARGE, 30_000])
def test_a_viewer_is_refused_by_the_role_before_an_upload_is_read(
    web: Web, settings, announced: bool, size: int
) -> None:
    settings.SECRET_KEY = KEY
    client = Client()
    client.force_login(people.viewer("vera"))
    cookie = f"budgeteer_session={client.cookies['budgeteer_session'].value}"
    kind = {"Content-Type": MULTIPART}
    if announced:  # nothing but the head is sent: whoever waited for the body would answer 408, much later
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE_SECONDS)
        connection.putrequest("POST", "/sources/upload/")
        for name, value in {**kind, "Cookie": cookie, "Content-Length": str(size)}.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        status, page = response.status, response.read().decode()
        connection.close()
    else:
        status, page = web.ask("POST", "/sources/upload/", pieces(b"a" * size), Cookie=cookie, **kind)
    assert status == 403
    assert "An administrator can make you an editor." in page


def try_to_sign_in(web: Web, name: str, **headers: str) -> int:
    form = urlencode({"username": name, "password": "wrong", "csrfmiddlewaretoken": TOKEN})
    return web.ask("POST", "/sign-in/", form, Cookie=f"budgeteer_csrf={TOKEN}", **{"Content-Type": FORM}, **headers)[0]


def test_a_client_does_not_get_further_tries_by_a_header_that_passes_for_the_proxys(web: Web) -> None:
    tries = [
        try_to_sign_in(web, f"user{number}", **{"X-Forwarded-For": "10.9.8.7", "X_Forwarded_For": f"10.1.1.{number}"})
        for number in range(4)
    ]
    assert tries == [400] * 4
    honest = [try_to_sign_in(web, f"user{number}", **{"X-Forwarded-For": "10.9.8.7"}) for number in range(4)]
    assert honest == [200, 200, 429, 429]


def test_slow_senders_and_slow_readers_keep_nobody_from_an_answer(web: Web, cookie: str) -> None:
    """They are given up after 20 s; who waits for that has not been answered within 15."""
    text = b"User: one\nAssistant: two\n" * 400_000
    body = PART % (b"csrfmiddlewaretoken", TOKEN.encode()) + PART % (b"text", text) + b"--x--\r\n"
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE_SECONDS)
    connection.request("POST", "/sources/upload/", body, {"Cookie": cookie, "Content-Type": MULTIPART})
    there = connection.getresponse().headers["Location"]
    connection.close()
    slow = [http.client.HTTPConnection("127.0.0.1", web.port, timeout=15) for _ in range(18)]
    try:
        for number, one in enumerate(slow):
            if number % 2:
                one.request("GET", f"{there}raw/", headers={"Cookie": cookie})
            else:
                one.putrequest("POST", "/sign-in/")
                one.putheader("Content-Length", "9000")
                one.endheaders(b"username=")
        quick = http.client.HTTPConnection("127.0.0.1", web.port, timeout=15)
        quick.request("GET", "/sign-in/")
        assert quick.getresponse().status == 200
        quick.close()
    finally:
        for one in slow:
            one.close()
