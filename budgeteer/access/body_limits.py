"""Size limits of request bodies: by who sends the body and to which view, whatever its content type.

A visitor who is not signed in may send a small form, anybody else a large one. Only a view that says so
(`takes_uploads`) takes as much as an upload, and only as multipart/form-data: that is what browsers send files and the
drop zone's text as, and it is read in pieces. A form that is encoded as one text takes thirty times its size to read.
Who may not send anything to a view (a viewer, to one that changes something) may send no more than a visitor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections
from django.http import HttpResponse
from django.urls import Resolver404, resolve

if TYPE_CHECKING:  # the server imports this module before Django's apps are there
    from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

STRANGERS_BYTES = 20_000
"""What a visitor who is not signed in may send: a name, a password and where to go on to, with room to spare."""

FORM_BYTES = 1_000_000
"""What somebody signed in may send as a form: far above the largest of ours, a pasted configuration of 256 kB."""

FRAMING_BYTES = 10_000_000
"""What an upload may have beside its files: 20,000 parts with their headers, and the list of a folder's paths."""

DOCUMENT_BYTES = 8_000_000
"""What a JSON body may have where a whole request to a model is sent: twice the text of a million tokens."""

MULTIPART = "multipart/form-data"
JSON = "application/json"

REFUSED = "budgeteer.refused_body"
"""The key of a request's environment under which the server says that it did not take the body (a `RefusedBody`)."""


class BodyProblem(Enum):
    """Why a body was not taken."""

    TOO_LARGE = "too large"
    TOO_SLOW = "too slow"
    TOO_MANY = "too many at once"
    NO_ROOM = "no room"


@dataclass(frozen=True, slots=True)
class RefusedBody:
    """A body that the server did not take; `size_bytes` is what was announced, or had come when reading stopped."""

    problem: BodyProblem
    size_bytes: int
    announced: bool


@dataclass(frozen=True, slots=True)
class BodyAllowance:
    """How large a body may be, and who sends it: the key of an account, "" for a visitor."""

    largest_bytes: int
    sender: str


def takes_uploads[V: Callable[..., Any]](view: V) -> V:
    """Declare that the view takes uploads: multipart bodies up to the limit for an upload."""
    view.takes_uploads = True  # type: ignore[attr-defined]  # carried along by decorators, like a rule
    return view


def takes_documents[V: Callable[..., Any]](view: V) -> V:
    """Declare that the view takes JSON bodies up to DOCUMENT_BYTES."""
    view.takes_documents = True  # type: ignore[attr-defined]  # as above
    return view


def is_document(path: str, content_type: str) -> bool:
    """Whether a request to this path with this content type may be as large as a document."""
    return _media_type(content_type) == JSON and _declares(path, "takes_documents")


def is_upload(path: str, content_type: str) -> bool:
    """Whether a request to this path with this content type may be as large as an upload."""
    return _media_type(content_type) == MULTIPART and _declares(path, "takes_uploads")


def largest_body(user: AbstractBaseUser | AnonymousUser | None, *, path: str, content_type: str) -> int:
    """The largest body, in bytes, that a request of this user may have."""
    if user is None or not user.is_authenticated or not user.is_active or not may_write(user, path):
        return STRANGERS_BYTES
    if is_upload(path, content_type):
        upload_bytes: int = settings.UPLOAD_MAX_BYTES
        return upload_bytes + FRAMING_BYTES
    return DOCUMENT_BYTES if is_document(path, content_type) else FORM_BYTES


def may_write(user: AbstractBaseUser | AnonymousUser, path: str) -> bool:
    """Whether the rule of the view at this path lets this account change something."""
    from budgeteer.access.rules import role_of, rule_of

    try:
        match = resolve(path)
    except Resolver404:
        return True  # it is answered 404 to everybody
    rule = rule_of(match.func, match.namespaces)
    return rule is not None and (rule.write is None or (role_of(user) or 0) >= rule.write)


def allowance_of(environ: Mapping[str, Any]) -> BodyAllowance:
    """The same for a request whose body nobody has read yet, given its WSGI environment; looks the session up."""
    request = WSGIRequest({**environ, "wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"})
    try:
        user = _sender_of(request)
        largest = largest_body(user, path=request.path_info, content_type=environ.get("CONTENT_TYPE", ""))
        return BodyAllowance(largest, sender=str(user.pk or ""))
    finally:
        close_old_connections()


def _sender_of(request: WSGIRequest) -> AbstractBaseUser | AnonymousUser:
    """Whom a request speaks for: by its token below the root of the API, elsewhere by its session."""
    from django.contrib.auth.models import AnonymousUser

    from budgeteer.access.bearer import TokenHolder, holder_of, is_api

    if is_api(request.path_info):
        found = holder_of(request.headers.get("Authorization", ""))
        return found.user if isinstance(found, TokenHolder) else AnonymousUser()
    SessionMiddleware(_no_response).process_request(request)
    return get_user(request)


def _media_type(content_type: str) -> str:
    return content_type.split(";", 1)[0].strip().lower()


def _declares(path: str, attribute: str) -> bool:
    """Whether the view at this path carries a declaration; False where there is no view."""
    try:
        view = resolve(path).func
    except Resolver404:
        return False
    return bool(getattr(view, attribute, False))


def _no_response(_request: object) -> HttpResponse:
    return HttpResponse()
