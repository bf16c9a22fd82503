"""Requests that no browser sends: heads, lengths, names and paths made by hand, over a bare connection."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Mapping
from typing import Final

from tests.hostile.payloads import MARK, OUTSIDE
from tests.hostile.served import BOUNDARY, Client
from tests.hostile.tally import ANSWER_SECONDS, Tally
from tests.hostile.watching import wrong_with

WAY: Final = "bare requests"
#: A server's answer to a method or a version that it does not know: about the request, and no error of ours.
_ABOUT_THE_REQUEST: Final = frozenset({501, 505})
_ENDS_SECONDS: Final = 5.0
"""Who has heard nothing for so long ends their side, so that a request without an end has one."""

_LONG: Final = 100_000


def _get(path: bytes, *headers: bytes, host: bytes = b"127.0.0.1") -> bytes:
    return b"\r\n".join([b"GET " + path + b" HTTP/1.1", b"Host: " + host, *headers, b"Connection: close", b"", b""])


def _post(path: bytes, body: bytes, *headers: bytes) -> bytes:
    lines = [b"POST " + path + b" HTTP/1.1", b"Host: 127.0.0.1", b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"Connection: close", b"", body])


_MARK: Final = MARK.encode()
_SPLIT: Final = b"\r\nSet-Cookie: a=" + _MARK
_FORM: Final = b"Content-Type: application/x-www-form-urlencoded"
_PARTS: Final = b"Content-Type: multipart/form-data; boundary="
_JSON: Final = b"Content-Type: application/json"
_FILE: Final = b'Content-Disposition: form-data; name="files"; filename="'

PATHS: Final[Mapping[str, bytes]] = {
    "parents": b"/static/../../../../etc/passwd",
    "escaped parents": b"/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "doubly escaped parents": b"/static/%252e%252e%252fetc%252fpasswd",
    "escaped slashes": b"/static/..%2f..%2f..%2fetc/passwd",
    "backslashes": b"/static/..\\..\\etc\\passwd",
    "an absolute path": b"/static//etc/passwd",
    "a NUL": b"/static/budgeteer/css/base.css%00.png",
    "a raw NUL": b"/w/\0",
    "line ends": b"/sign-in/?next=%0d%0aSet-Cookie:%20a=" + _MARK,
    "line ends in a path": b"/%0d%0aSet-Cookie:%20a=" + _MARK,
    "bytes that are no text": b"/%ff%fe/%c0%af",
    "bad escapes": b"/%zz/%/%1",
    "a whole address": b"http://" + _MARK + b".invalid/w/",
    "another scheme": b"ftp://127.0.0.1/w/",
    "two slashes": b"//" + _MARK + b".invalid/%2f..",
    "an asterisk": b"*",
    "a long path": b"/" + b"a" * _LONG,
    "many parts": b"/" + b"a/" * 30_000,
    "a long query": b"/?" + b"a" * _LONG,
    "many parameters": b"/w/?" + b"&".join(b"a%d=1" % number for number in range(5_000)),
    "one parameter many times": b"/w/?" + b"&".join([b"q=1"] * 5_000),
    "a fragment": b"/w/#" + _MARK,
    "letters beyond ASCII": "/ü\u202e/".encode(),
}

HEADERS: Final[Mapping[str, bytes]] = {
    "a cookie that is none": b"Cookie: ;;;=;=a;\x01=b; budgeteer_session=" + b"\xff" * 40,
    "a long cookie": b"Cookie: budgeteer_session=" + b"a" * 30_000,
    "a cookie of 2,000 parts": b"Cookie: " + b"; ".join(b"a%d=b" % number for number in range(2_000)),
    "a session that is a path": b"Cookie: budgeteer_session=../../" + OUTSIDE.encode(),
    "a session with a NUL": b"Cookie: budgeteer_session=a%00b; budgeteer_csrf=\\",
    "a quoted cookie": b'Cookie: budgeteer_session="\\000\\377\\"a"',
    "a language": b"Accept-Language: " + b"-".join([b"de"] * 8_000),
    "many languages": b"Accept-Language: " + b",".join(b"a%d;q=0.%d" % (n, n) for n in range(3_000)),
    "an encoding": b"Accept-Encoding: " + b"gzip;q=1e9," * 2_000,
    "a range": b"Range: bytes=" + b",".join(b"%d-" % number for number in range(2_000)),
    "a range that turns round": b"Range: bytes=9-1,-0,--1",
    "a tag": b"If-None-Match: " + b'W/"a",' * 5_000,
    "a date": b"If-Modified-Since: Thu, 99 Xyz 99999 99:99:99 GMT",
    "a range by date": b"If-Range: \xff\xfe",
    "a token that is none": b"Authorization: Bearer \xff\xfe\x01",
    "a long token": b"Authorization: Bearer bgt_" + b"a" * 30_000,
    "basic": b"Authorization: Basic =====",
    "a forwarded address": b"X-Forwarded-For: " + b"1.1.1.1," * 3_000,
    "a forwarded address that is none": b"X-Forwarded-For: \xff',<script>",
    "a forwarded host": b"X-Forwarded-Host: " + _MARK + b".invalid",
    "a forwarded scheme": b"X-Forwarded-Proto: javascript",
    "an id": b"X-Request-ID: " + b"<script>" * 200,
    "an id with an escape": b"X-Request-ID: \x1b[31m",
    "another method": b"X-HTTP-Method-Override: DELETE",
    "a trace": b"traceparent: 00-" + b"f" * 5_000 + b"-00-01",
    "a state": b"tracestate: " + b"a=b," * 3_000,
    "baggage": b"baggage: " + b"a=%00," * 3_000,
    "rows one has": b"X-Have: " + b"a " * 20_000,
    "htmx": b"HX-Request: true\r\nHX-Current-URL: javascript:" + _MARK + b"\r\nHX-Target: \xff<x>",
    "an address one comes from": b"Referer: http://" + _MARK + b".invalid/%0d%0a",
    "an origin": b"Origin: null",
    "a program": b"User-Agent: " + b"(" * 30_000,
    "a name with a blank": b"X Name: 1",
    "a name with an underscore": b"X_Forwarded_For: 1.1.1.1",
    "a folded line": b"X-A: 1\r\n 2",
    "a bare line feed": b"X-A: 1\nX-B: " + _MARK,
    "a NUL": b"X-A: a\0b",
    "no colon": b"X-A",
    "3,000 headers": b"\r\n".join(b"X-%d: 1" % number for number in range(3_000)),
    "a long name": b"X-" + b"a" * _LONG + b": 1",
    "expectations": b"Expect: 100-continue, 200-maybe",
    "an upgrade": b"Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
    "a connection that drops a header": b"Connection: close, Cookie, X-Forwarded-For",
    "a key": b"Idempotency-Key: " + b"\xff" * 100,
    "a condition": b"If-Match: *,\xff",
}

_GOOD: Final = b"--" + BOUNDARY.encode() + b"\r\n"
BODIES: Final[Mapping[str, bytes]] = {
    "no boundary": _post(b"/sign-in/", b"--x\r\n\r\n", b"Content-Type: multipart/form-data"),
    "an empty boundary": _post(b"/sign-in/", b"--\r\n\r\n", _PARTS),
    "a long boundary": _post(b"/sign-in/", b"--x", _PARTS + b"a" * 5_000),
    "a boundary of other signs": _post(b"/sign-in/", b"--x", _PARTS + b"\xff\xfe"),
    "no end": _post(b"/sign-in/", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb', _PARTS + b"x"),
    "parts without names": _post(b"/sign-in/", b"--x\r\n\r\nb\r\n" * 200 + b"--x--", _PARTS + b"x"),
    "parts within parts": _post(
        b"/sign-in/",
        b"--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\n\r\n--y--\r\n--x--",
        _PARTS + b"x",
    ),
    "a file name of two lines": _post(
        b"/sign-in/", b"--x\r\n" + _FILE + b'a\r\nX-A: "b"\r\n\r\nc\r\n--x--\r\n', _PARTS + b"x"
    ),
    "a file name in another coding": _post(
        b"/sign-in/",
        b"--x\r\nContent-Disposition: form-data; name=\"a\"; filename*=x'x'%ff%00\r\n\r\nc\r\n--x--",
        _PARTS + b"x",
    ),
    "base64 that is none": _post(
        b"/sign-in/",
        b'--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\n=\xff=\r\n--x--',
        _PARTS + b"x",
    ),
    "fields without end": _post(b"/sign-in/", b"&".join(b"a%d=b" % number for number in range(2_000)), _FORM),
    "another character set": _post(b"/sign-in/", b"username=\xff\xfe", _FORM + b"; charset=utf-7"),
    "a character set that is none": _post(b"/sign-in/", b"username=a", _FORM + b"; charset=" + b"z" * 2_000),
    "JSON for a form": _post(b"/sign-in/", b"[" * 15_000, _JSON),
    "a form for JSON": _post(b"/api/v1/pack", b"a=b", _FORM),
    "JSON that is none": _post(b"/api/v1/pack", b"\xff\xfe{", _JSON),
    "a packed body": _post(b"/api/v1/pack", b"\x1f\x8b\x08", _JSON, b"Content-Encoding: gzip"),
    "two lengths": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\nabc",
    "a length and pieces": (
        b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\n\r\n0\r\n\r\nGET /" + _MARK + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    ),
    "a length below nothing": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    "a length that is none": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1e3\r\n\r\n",
    "a length beyond all": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + b"9" * 40 + b"\r\n\r\n",
    "a large length": b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\nabc",
    "pieces of a wrong size": (
        b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\na\r\n"
    ),
    "another coding of pieces": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "no head": b"\r\n\r\n",
    "an old version": b"GET /\r\n\r\n",
    "another version": b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    "HTTP/2 at once": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(64),
    "a greeting of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    "noise": bytes(range(256)) * 40 + b"\r\n\r\n",
}

METHODS: Final = (
    b"HEAD",
    b"OPTIONS",
    b"TRACE",
    b"CONNECT",
    b"PUT",
    b"DELETE",
    b"PATCH",
    b"PROPFIND",
    b"get",
    b"A" * 3000,
    b"G\xffT",
)
HOSTS: Final = (
    *(_MARK + b".invalid", b"127.0.0.1:99999", b"127.0.0.1@" + _MARK, b"", b"[::1", b"127.0.0.1, " + _MARK),
    *(b"\xff\xfe", b"a" * 5_000, b"127.0.0.1\x00", b"127.0.0.1/../", b"2130706433"),
)


def requests() -> Mapping[str, Mapping[str, bytes]]:
    """Every request, by family and label."""
    return {
        "paths": {label: _get(path) for label, path in PATHS.items()},
        "headers": {
            f"{label}, {path.decode()}": _get(path, header)
            for label, header in HEADERS.items()
            for path in (b"/sign-in/", b"/w/", b"/api/v1/sources", b"/static/budgeteer/css/base.css")
        },
        "bodies": BODIES,
        "methods": {
            f"{method[:9]!r} {path.decode()}": method + _get(path)[3:]
            for method in METHODS
            for path in (b"/", b"/sign-in/", b"/api/v1/pack")
        },
        "hosts": {repr(host[:30]): _get(b"/sign-in/?next=/w/", host=host) for host in HOSTS},
    }


def try_all(tally: Tally, client: Client, *, every: int = 1) -> None:
    """Send each, hear the answer or the end of the connection, and see that the next request is answered."""
    for family, given in requests().items():
        row = tally.row(WAY, family)
        for label, request in list(given.items())[::every]:
            row.tried += 1
            before = client.web_cpu_seconds()
            heard = _sent(client.stack.port, request)
            row.took(client.web_cpu_seconds() - before, f"{family}: {label}", most=ANSWER_SECONDS)
            row.wrong += [
                f"{family}: {label}: {what}" for what in _wrong(heard, is_of_head=request.startswith(b"HEAD "))
            ]
            row.answers += 1
            row.refused += not heard.startswith((b"HTTP/1.1 2", b"HTTP/1.1 3"))
            if client.get("/health/").status != http.client.OK:
                row.wrong.append(f"{family}: {label}: the next request is not answered")


def _sent(port: int, request: bytes) -> bytes:
    """Everything that comes until the connection ends."""
    heard, has_ended = b"", False
    with socket.create_connection(("127.0.0.1", port), timeout=_ENDS_SECONDS) as connection:
        while True:
            try:
                if request:
                    connection.sendall(request)
                    request = b""
                more = connection.recv(65_536)
            except TimeoutError:
                if has_ended:
                    return heard
                connection.shutdown(socket.SHUT_WR)
                has_ended = True
                continue
            except ConnectionError:
                return heard  # refused in the middle of it: what was said before counts
            if not more:
                return heard
            heard += more


def _wrong(heard: bytes, *, is_of_head: bool) -> list[str]:
    """What must not be in a raw answer; one to HEAD names the type of a body that it has not."""
    head, _, body = heard.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.[01] (\d{3})", head)
    if status is None:
        return [] if not heard else [f"no answer of HTTP: {heard[:60]!r}"]
    lines = [line.partition(b":") for line in head.split(b"\r\n")[1:]]
    headers = [(name.decode("latin-1"), value.strip().decode("latin-1")) for name, _, value in lines]
    if is_of_head and not body:
        headers = [(name, value) for name, value in headers if name.lower() != "content-type"]
    number = int(status[1])
    wrong = wrong_with(200 if number in _ABOUT_THE_REQUEST else number, headers, b"" if b"chunked" in head else body)
    if heard.count(b"HTTP/1.1 ") > 1 + heard.startswith(b"HTTP/1.1 100"):
        wrong.append("two answers to one request")
    if b"root:x:0:" in body:
        wrong.append("words of a file of the server")
    return wrong
