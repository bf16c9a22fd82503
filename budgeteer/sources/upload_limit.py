"""Stops an upload that is too large where it is noticed: at its announcement, or at the first byte over the limit.

What the announcement allows for beside the files: the headers of each part, and the list of a folder's paths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, UnreadablePostError
from django.shortcuts import render

from budgeteer.sources.receiving import UploadRefused, clean_name, too_large

# 20,000 files of a folder, each with a part's headers and an entry in the list of paths.
FRAMING_BYTES = 10_000_000
# A visitor who is not signed in may send a form, and nothing that is worth keeping.
STRANGERS_BYTES = 1_000_000
MULTIPART = "multipart/form-data"


class UploadLimitHandler(FileUploadHandler):
    """Counts the bytes of all files of one request, before anybody keeps them."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:  # noqa: ARG002 - Django's signature
        """Hand a piece on, or stop reading the request."""
        self.received += len(raw_data)
        if self.received > settings.UPLOAD_MAX_BYTES:
            if self.request is not None:
                name = clean_name(self.file_name or "")
                self.request.META[REFUSED] = too_large(name, self.received, at_least=True)
            raise StopUpload(connection_reset=True)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Another handler keeps the file."""


REFUSED = "budgeteer.upload_refused"


class UploadLimitMiddleware:
    """Answers 413 with the sentence of a refused upload; reads no further, and nothing is kept."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Refuse a request that announces or brings too much; hand any other on."""
        if request.method != "POST" or request.content_type != MULTIPART:
            return self.get_response(request)
        if refusal := _announced_too_large(request):
            return _refused(request, refusal)
        draft = ""
        try:
            draft = request.POST.get("text", "")
        except UnreadablePostError:
            return HttpResponseBadRequest("The upload broke off before its end.", content_type="text/plain")
        except RequestDataTooBig:
            request.META[REFUSED] = too_large("the pasted text", settings.UPLOAD_MAX_BYTES, at_least=True)
        refusal = request.META.get(REFUSED)
        return _refused(request, refusal, draft=draft) if refusal else self.get_response(request)


def _announced_too_large(request: HttpRequest) -> UploadRefused | None:
    length = request.META.get("CONTENT_LENGTH") or "0"
    announced = int(length) if length.isdecimal() else 0
    if announced > settings.UPLOAD_MAX_BYTES + FRAMING_BYTES:
        return too_large("", announced)
    user: Any = getattr(request, "user", None)
    if announced > STRANGERS_BYTES and not (user and user.is_authenticated):
        return UploadRefused(
            "you are not signed in, and this is too large for a form", mend="Sign in and send it again"
        )
    return None


def _refused(request: HttpRequest, refusal: UploadRefused, *, draft: str = "") -> HttpResponse:
    return render(request, "sources/too_large.html", {"refusal": refusal, "draft": draft}, status=413)
