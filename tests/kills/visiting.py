"""A browser reduced to what a form needs: cookies, the hidden token, redirects not followed."""

from __future__ import annotations

import http.client
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

REQUEST_SECONDS = 60
PIECES = 40


class Interrupted(Exception):
    """No answer came: the server went away, or said that it could not (5xx)."""


@dataclass
class Visit:
    """One signed-in person's connection to the dashboard. `sending` while a slow upload is on its way.

    With `takes_errors`, an answer of the server that it could not (5xx) is an answer as any other.
    """

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    sending: bool = False
    takes_errors: bool = False

    def get(self, path: str) -> tuple[int, str, str]:
        """Status, text, and where it redirects to ("").

        Raises:
            Interrupted: no answer.
        """
        return self._ask("GET", path, b"", {})

    def post(self, path: str, fields: Mapping[str, str]) -> tuple[int, str, str]:
        """As `get`, with a form; the token is added."""
        body = urlencode({**fields, "csrfmiddlewaretoken": self._token()}).encode()
        return self._ask("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded"})

    def upload(self, path: str, name: str, data: bytes, *, seconds: float) -> tuple[int, str, str]:
        """As `post`, with one file whose bytes take so long to send."""
        boundary = uuid.uuid4().hex
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{self._token()}\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = head.encode() + data + f"\r\n--{boundary}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return self._ask("POST", path, body, kind, seconds=seconds)

    def _token(self) -> str:
        status, text, _ = self.get("/help/")
        found = re.search(r'"X-CSRFToken": "(\w+)"', text)
        if not found:
            raise AssertionError(f"no form token on the help page (status {status})")
        return found[1]

    def _ask(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], *, seconds: float = 0.0
    ) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        try:
            connection.putrequest(method, path)
            connection.putheader("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
            for name, value in headers.items():
                connection.putheader(name, value)
            if method == "POST":
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            self._send(connection, body, seconds)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise Interrupted(str(error)) from error
        finally:
            self.sending = False
            connection.close()
        if response.status >= http.HTTPStatus.INTERNAL_SERVER_ERROR and not self.takes_errors:
            raise Interrupted(f"{method} {path}: {response.status}")
        self._keep_cookies(response)
        return response.status, text, urlsplit(response.headers.get("Location", "")).path

    def _send(self, connection: http.client.HTTPConnection, body: bytes, seconds: float) -> None:
        if not seconds:
            connection.send(body)
            return
        self.sending = True
        size = len(body) // PIECES + 1
        for start in range(0, len(body), size):
            connection.send(body[start : start + size])
            time.sleep(seconds / PIECES)

    def _keep_cookies(self, response: http.client.HTTPResponse) -> None:
        for line in response.headers.get_all("Set-Cookie") or ():
            name, _, value = line.split(";")[0].partition("=")
            self.cookies[name] = value
