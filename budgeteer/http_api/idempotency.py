"""Idempotency keys: a post that is sent twice with one `Idempotency-Key` is done once and answered twice.

The answer is kept for a day beside a fingerprint of the request, so that the key cannot mean another one. An answer
that says the server failed (5xx), is refused for now (409, 429) or is too large to keep frees the key again. Whoever
sends the same request while the first one is still being answered is told so. A process that dies on the way leaves its
key taken until STUCK_TIME has passed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Count, Sum
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from budgeteer.access.body_limits import MULTIPART
from budgeteer.access.problems import ProblemKind, problem
from budgeteer.http_api.models import KeyedAnswer

HEADER: Final = "Idempotency-Key"
KEY_CHARS: Final = 128
KEEP: Final = timedelta(hours=24)
STUCK_TIME: Final = timedelta(minutes=10)
MOST_KEYS: Final = 5_000
"""Keys that one account may have at a time."""

MOST_KEPT_BYTES: Final = 20_000_000
"""Bytes of kept answers that one account may have at a time, beside the last one."""

MOST_BYTES: Final = 100_000
"""The largest answer that is kept; those of posts that make something are far smaller."""

_OF_THE_ANSWER: Final = ("Content-Type", "ETag", "Location")
_NOT_KEPT: Final = frozenset({409, 429})


def answered_once(request: HttpRequest, owner: User, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """What `answer` gives; of a request with a key that was answered before, that answer, and nothing is done."""
    key = request.headers.get(HEADER, "")
    if not key:
        return answer()
    if len(key) > KEY_CHARS or not key.isascii() or not key.isprintable():
        what = f"a key has at most {KEY_CHARS} printable ASCII characters"
        return problem(ProblemKind.INVALID, what, where=HEADER, hint="A random UUID does")
    fingerprint = _fingerprint(request)
    taken = _take(owner, key, fingerprint)
    if isinstance(taken, HttpResponse):
        return taken
    try:
        response = answer()
    except BaseException:
        taken.delete()
        raise
    _keep(taken, response)
    return response


def forget(*, now: datetime) -> int:
    """Remove answers whose time is over, and keys of requests that were never answered; how many."""
    old = KeyedAnswer.objects.filter(created_at__lt=now - KEEP).delete()[0]
    return old + KeyedAnswer.objects.filter(status=None, created_at__lt=now - STUCK_TIME).delete()[0]


def _take(owner: User, key: str, fingerprint: str) -> KeyedAnswer | HttpResponse:
    """The key as ours from now on; what is to be answered where it was taken before, or cannot be."""
    now = timezone.now()
    KeyedAnswer.objects.filter(owner=owner, key=key, created_at__lt=now - KEEP).delete()
    KeyedAnswer.objects.filter(owner=owner, key=key, status=None, created_at__lt=now - STUCK_TIME).delete()
    others = KeyedAnswer.objects.filter(owner=owner).exclude(key=key)
    held = others.aggregate(keys=Count("pk"), size_bytes=Sum(Length("body"), default=0))
    if held["keys"] >= MOST_KEYS or held["size_bytes"] >= MOST_KEPT_BYTES:
        what = f"{held['keys']:,} keys of yours are kept with {held['size_bytes']:,} bytes, and there may be no more"
        return problem(
            ProblemKind.BUSY, what, where=HEADER, hint="A key is kept for a day; send the request without one"
        )
    try:
        with transaction.atomic():
            return KeyedAnswer.objects.create(owner=owner, key=key, fingerprint=fingerprint)
    except IntegrityError:
        known = KeyedAnswer.objects.filter(owner=owner, key=key).first()
    if known is not None and known.fingerprint != fingerprint:
        what = "another request was sent with this key"
        return problem(ProblemKind.KEY_REUSED, what, where=HEADER, hint="Choose a new key for a new request")
    if known is None or known.status is None:
        answer = problem(
            ProblemKind.CONFLICT, "this request is being answered", where=HEADER, hint="Send it again soon"
        )
        answer.headers["Retry-After"] = "1"
        return answer
    again = HttpResponse(bytes(known.body), status=known.status, headers=known.headers)
    again.headers["Idempotent-Replayed"] = "true"
    return again


def _keep(taken: KeyedAnswer, response: HttpResponseBase) -> None:
    is_whole = isinstance(response, HttpResponse) and len(response.content) <= MOST_BYTES
    if not is_whole or response.status_code >= 500 or response.status_code in _NOT_KEPT:
        taken.delete()
        return
    assert isinstance(response, HttpResponse)  # noqa: S101 - said by is_whole
    # An answer that took longer than STUCK_TIME may meet a row that is gone: then nothing is kept of it.
    KeyedAnswer.objects.filter(pk=taken.pk).update(
        status=response.status_code,
        headers={name: response.headers[name] for name in _OF_THE_ANSWER if name in response.headers},
        body=response.content,
    )


def _fingerprint(request: HttpRequest) -> str:
    digest = hashlib.sha256()
    for part in (str(request.method).encode(), request.get_full_path().encode(), *_body_parts(request)):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _body_parts(request: HttpRequest) -> Iterator[bytes]:
    """What tells a body from another; of a form its fields and the digests of its files, whatever stands between."""
    if request.content_type != MULTIPART:
        yield request.body
        return
    for name in sorted(request.POST):
        yield from (name.encode(), *(value.encode("utf-8", "surrogatepass") for value in request.POST.getlist(name)))
    for name in sorted(request.FILES):
        for file in request.FILES.getlist(name):
            digest = hashlib.sha256()
            for block in file.chunks():
                digest.update(block)
            file.seek(0)
            yield from (name.encode(), (file.name or "").encode(), digest.digest())
