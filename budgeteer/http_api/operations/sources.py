"""Sources: list, upload, append, read, delete."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest
from ninja import File, Form, Query, Router, Status
from ninja.files import UploadedFile

from budgeteer.access.problems import ApiProblem, ProblemKind
from budgeteer.http_api.cursors import MOST_ROWS, PAGE_ROWS, page_of, position_cursor, position_of
from budgeteer.http_api.operations.jobs import ErrorOut
from budgeteer.http_api.routing import ApiSchema, owner_of, route
from budgeteer.scanning.rules import PERSONAL
from budgeteer.sources import services
from budgeteer.sources.files.contents import CONVERSATIONS, MAIN_STREAM
from budgeteer.sources.models import Source
from budgeteer.sources.scanning.requested_scans import findings
from budgeteer.tokens.scopes import Scope

router = Router()

ITEMS_BYTES = 2_000_000
"""A page of items ends where it holds more than this, as JSON; one item at least is on it."""

_ITEMS_AT_ONCE = 10
_DOWNLOAD = {"200": {"description": "OK", "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}


class ScanKindOut(ApiSchema):
    """One kind of secret or personal data: how many different values there are, and in how many places."""

    kind: str
    is_personal: bool
    values: int
    places: int


class ScanOut(ApiSchema):
    """What a scan for secrets and personal data found, never the values; `is_whole` is false where it ended early."""

    is_whole: bool
    rules: int
    kinds: list[ScanKindOut]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> ScanOut:
        """What is kept of a scan, as it is answered."""
        kinds = [
            ScanKindOut(
                kind=row["kind"], is_personal=row["kind"] in PERSONAL, values=row["values"], places=row["places"]
            )
            for row in found["kinds"]
        ]
        return cls(is_whole=found["isWhole"], rules=found["rules"], kinds=kinds)


class SourceOut(ApiSchema):
    """A source. `state` is importing, ready or failed; `job` is the import that is under way.

    `scan` is null until a worker has looked through this revision for secrets and personal data.

    `error` says why the last import failed; beside it a ready source holds what an earlier one read.
    """

    id: UUID
    name: str
    kind: str
    format: str
    state: str
    size_bytes: int
    sha256: str
    revision: int
    counts: dict[str, Any]
    error: ErrorOut | None
    job: UUID | None
    scan: ScanOut | None
    url: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, request: HttpRequest, source: Source) -> SourceOut:
        """A row as it is answered; `url` is its page."""
        return cls(
            id=source.id,
            name=source.name,
            kind=source.kind,
            format=source.format,
            state=source.state,
            size_bytes=source.size_bytes,
            sha256=source.sha256,
            revision=source.revision,
            counts=source.counts,
            error=ErrorOut.of(source.error) if source.error else None,
            job=source.import_job if source.state == Source.State.IMPORTING else None,
            scan=ScanOut.of(found) if (found := findings(source)) else None,
            url=request.build_absolute_uri(source.get_absolute_url()),
            created_at=source.created_at,
            updated_at=source.updated_at,
        )


class SourceListOut(ApiSchema):
    """A page of sources; `next` is the cursor of the next one, null on the last."""

    items: list[SourceOut]
    next: str | None


class ItemOut(ApiSchema):
    """One item: a message, a skill, a tool, a spec, a chunk. `number` counts from 1."""

    number: int
    item: dict[str, Any]


class ItemListOut(ApiSchema):
    """A page of items of `total`; `next` is the cursor of the next one, null on the last."""

    items: list[ItemOut]
    next: str | None
    total: int
    conversations: int


@route(router, "GET", "/sources", scope=Scope.SOURCES_READ, response=SourceListOut)
def list_sources(
    request: HttpRequest, cursor: str = "", limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = PAGE_ROWS
) -> SourceListOut:
    """List the account's sources, newest first."""
    page = page_of(services.recent(owner_of(request), limit=None), cursor=cursor, limit=limit)
    rows = [SourceOut.of(request, services.refresh_state(source)) for source in page.rows]
    return SourceListOut(items=rows, next=page.next_cursor or None)


@route(
    router,
    "POST",
    "/sources",
    scope=Scope.SOURCES_WRITE,
    response={200: SourceOut, 201: SourceOut},
    body="upload",
    is_keyed=True,
)
def create_source(
    request: HttpRequest,
    file: Annotated[UploadedFile, File()],
    name: Annotated[str, Form()] = "",
    format: Annotated[str, Form()] = "",  # noqa: A002 - the word of the interface
) -> Status[SourceOut]:
    """Upload a file; a worker imports it. The same bytes are the same source (200 instead of 201)."""
    shown = (name or file.name or "").replace("\0", "")
    source = services.receive_upload(owner_of(request), name=shown, content=file, as_format=format)
    return Status(200 if source.was_known else 201, SourceOut.of(request, source))


@route(router, "GET", "/sources/{uuid:source_id}", scope=Scope.SOURCES_READ, response=SourceOut)
def get_source(request: HttpRequest, source_id: UUID) -> SourceOut:
    """Read what a source is and how its import stands."""
    return SourceOut.of(request, _source(request, source_id))


@route(
    router,
    "POST",
    "/sources/{uuid:source_id}/append",
    scope=Scope.SOURCES_WRITE,
    response=SourceOut,
    errors=(409,),
    body="upload",
    is_keyed=True,
)
def append_to_source(
    request: HttpRequest,
    source_id: UUID,
    file: Annotated[UploadedFile, File()],
    offset: Annotated[int, Form(ge=1, lt=2**53)],
    sha256: Annotated[str, Form(pattern="^[0-9a-fA-F]{64}$")],
) -> SourceOut:
    """Put bytes behind those that a source holds; the whole is imported anew.

    `offset` is how many bytes you take it to hold, `sha256` their digest. Where it holds others, nothing is changed:
    the error (409) has its `sizeBytes` and `sha256`, or the `sourceId` of a source that holds the whole already.
    """
    source = _source(request, source_id)
    try:
        source = services.append(source, file, known=services.ExpectedBytes(offset, sha256))
    except services.AppendRefused as error:
        more = {"sizeBytes": error.size_bytes, "sha256": error.sha256}
        raise ApiProblem(ProblemKind.CONFLICT, error.what, where=error.where, hint=error.mend, more=more) from None
    except services.SameBytesElsewhere as error:
        more = {"sourceId": str(error.source_id)}
        raise ApiProblem(ProblemKind.CONFLICT, error.what, where=error.where, hint=error.mend, more=more) from None
    return SourceOut.of(request, source)


@route(router, "GET", "/sources/{uuid:source_id}/items", scope=Scope.SOURCES_READ, response=ItemListOut)
def list_items(
    request: HttpRequest,
    source_id: UUID,
    cursor: str = "",
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = PAGE_ROWS,
) -> ItemListOut:
    """List what was read from a source, in its order; a page ends early where its items are large."""
    source = _source(request, source_id)
    start = position_of(cursor)
    if not source.items:
        return ItemListOut(items=[], next=None, total=0, conversations=0)
    reader = services.contents_of(source).reader
    stream = MAIN_STREAM[source.kind]
    total = reader.count(stream)
    rows: list[ItemOut] = []
    size_bytes = 0
    while len(rows) < limit and size_bytes <= ITEMS_BYTES:
        here = start + len(rows)
        found = reader.read(stream, here, min(here + _ITEMS_AT_ONCE, start + limit))
        if not found:
            break
        for number, item in enumerate(found, here + 1):
            rows.append(ItemOut(number=number, item=item))
            size_bytes += len(json.dumps(item))
            if size_bytes > ITEMS_BYTES:
                break
    end = start + len(rows)
    return ItemListOut(
        items=rows,
        next=position_cursor(end) if rows and end < total else None,
        total=total,
        conversations=reader.count(CONVERSATIONS),
    )


@route(
    router,
    "GET",
    "/sources/{uuid:source_id}/content",
    scope=Scope.SOURCES_READ,
    response={200: None},
    extra={"responses": _DOWNLOAD},
)
def get_source_content(request: HttpRequest, source_id: UUID) -> FileResponse:
    """Read the original file, byte for byte."""
    source = _source(request, source_id)
    response = FileResponse(source.upload.open("rb"), as_attachment=True, filename=source.name)
    response.headers["Content-Type"] = "application/octet-stream"
    return response


@route(router, "DELETE", "/sources/{uuid:source_id}", scope=Scope.SOURCES_WRITE, response=None, status=204)
def delete_source(request: HttpRequest, source_id: UUID) -> Status[None]:
    """Delete a source. The dashboard can bring it back for a day."""
    services.delete(_source(request, source_id))
    return Status(204, None)


def _source(request: HttpRequest, source_id: UUID) -> Source:
    source = services.visible_source(owner_of(request), source_id)
    if source is None:
        raise Http404
    return source
