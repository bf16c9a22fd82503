"""One connection to a dashboard: the token, tries, time-outs, and every failure as an error message."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from budgeteer.engine.errors import InputError

ROOT: Final = "/api/v1"
TRIES: Final = 4
_TIMEOUT: Final = httpx2.Timeout(60.0, connect=10.0)
_LONGEST_WAIT_SECONDS: Final = 60.0
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
#: Statuses that pass: too many requests, a part of the server that is away.
_PASSING: Final = frozenset({429, 502, 503, 504})
_CONFLICT: Final = 409


class RemoteError(InputError):
    """What the dashboard refused, or why it cannot be reached.

    Attributes:
        status: of the answer; 0 where there was none.
        document: the whole problem document, with members of its own such as `sizeBytes`.
    """

    def __init__(
        self, what: str, *, where: str = "", mend: str = "", status: int = 0, document: Mapping[str, Any] | None = None
    ) -> None:
        self.status = status
        self.document = dict(document or {})
        super().__init__(what, where=where, mend=mend)


class Connection:
    """Sends requests with a token. A request that fails for now is sent again, TRIES times in all.

    Args:
        url: the dashboard's address, "https://budget.example.org".
        token: a personal access token.
        transport: what carries requests, for tests.
        sleep: waits between tries.

    Raises:
        RemoteError: the address is none, or would send the token over the network in the clear, or the token is none.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = checked_url(url)
        if not token.isascii() or not token.isprintable():
            what = "the token has characters that no token has"
            raise RemoteError(what, where="token", mend="Copy it again from the page Access tokens of your account")
        self._sleep = sleep
        parts = urlsplit(self.url)
        shown = parts.netloc.removesuffix(f":{parts.port}")
        self._client = httpx2.Client(
            base_url=f"{self.url}{ROOT}",
            headers={"Authorization": f"Bearer {token}", "User-Agent": f"budgeteer/{version('budgeteer')}"},
            timeout=_TIMEOUT,
            transport=transport,
            mounts={f"all://{shown}": None} if parts.hostname in _LOOPBACK else None,  # None: past every proxy
        )

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def send(self, method: str, path: str, **sent: Any) -> httpx2.Response:
        """One request below the API's root; `sent` is what httpx2 takes: `json`, `params`, `files`, `data`, `headers`.

        A POST carries an idempotency key, so that one that is sent again is not done again.

        Raises:
            RemoteError: the dashboard refused it, or did not answer.
        """
        headers = dict(sent.pop("headers", None) or {})
        if method == "POST":
            headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        request = {**sent, "headers": headers}
        for number in range(1, TRIES):
            try:
                answer = self._once(method, path, request)
            except httpx2.TransportError:
                self._sleep(float(number))
                continue
            if not _passes(answer):
                return _checked(answer)
            self._sleep(_wait_seconds(answer, number))
        try:
            return _checked(self._once(method, path, request))
        except httpx2.TransportError as error:
            raise self._unreachable(error) from error

    def _once(self, method: str, path: str, request: Mapping[str, Any]) -> httpx2.Response:
        for _, file, *_ in (request.get("files") or {}).values():
            file.seek(0)  # a request that is sent again reads its files again
        return self._client.request(method, path, **request)

    def json(self, method: str, path: str, **sent: Any) -> Any:
        """The JSON that one request is answered with; None where the token may change and not read.

        Raises:
            RemoteError: as `send`, or the answer is no JSON.
        """
        return self.read_json(self.send(method, path, **sent))

    def read_json(self, answer: httpx2.Response) -> Any:
        """The JSON of an answer, None for one without content.

        Raises:
            RemoteError: it is no JSON.
        """
        if answer.status_code == HTTPStatus.NO_CONTENT:
            return None
        try:
            return answer.json()
        except ValueError:
            what = f"{self.url} answered with something else than JSON"
            raise RemoteError(what, mend="Check that it is the address of a Budgeteer dashboard") from None

    def _unreachable(self, error: httpx2.TransportError) -> RemoteError:
        what = f"{self.url} cannot be reached ({type(error).__name__})"
        return RemoteError(what, mend="Check the address, and that the dashboard runs")


def checked_url(url: str) -> str:
    """The address without what follows the host.

    Raises:
        RemoteError: it is no address, or one that would send the token over the network in the clear.
    """
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host:
        raise RemoteError(f"{url!r} is no address", where="url", mend="Write it as https://budget.example.org")
    if parts.scheme == "http" and host not in _LOOPBACK:
        what = "a token would travel in the clear"
        raise RemoteError(what, where=url, mend="Use https; http is for this computer alone")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}"


def _passes(answer: httpx2.Response) -> bool:
    """Whether it is refused for now only; a conflict that names a time is a request that is being answered already."""
    return answer.status_code in _PASSING or (answer.status_code == _CONFLICT and "Retry-After" in answer.headers)


def _checked(answer: httpx2.Response) -> httpx2.Response:
    """The answer, where it says that the request was done."""
    if answer.is_success:
        return answer
    raise _refusal(answer) if answer.is_error else _redirect(answer)


def _redirect(answer: httpx2.Response) -> RemoteError:
    """The error for an answer that leads elsewhere: it is not followed, since a token is for one dashboard."""
    place = answer.headers.get("Location", "")
    what = f"the answer was {answer.status_code} {answer.reason_phrase}{f', which leads to {place}' if place else ''}"
    mend = "Name the address of the dashboard itself, without a redirect or a sign-in page of a proxy before it"
    return RemoteError(what, where=str(answer.url), mend=mend, status=answer.status_code)


def _refusal(answer: httpx2.Response) -> RemoteError:
    try:
        document = answer.json()
    except ValueError:
        document = None
    if not isinstance(document, dict):
        what = f"the answer was {answer.status_code} {answer.reason_phrase}"
        return RemoteError(what, where=str(answer.url), status=answer.status_code)
    return RemoteError(
        str(document.get("detail") or document.get("title") or answer.reason_phrase),
        where=str(document.get("where") or ""),
        mend=str(document.get("hint") or ""),
        status=answer.status_code,
        document=document,
    )


def _wait_seconds(answer: httpx2.Response, number: int) -> float:
    told = answer.headers.get("Retry-After", "")
    return min(float(told) if told.isdecimal() else float(number), _LONGEST_WAIT_SECONDS)
