"""Everything that one person has here, as the files of one archive.

Rows are listed first and read one by one: what is deleted meanwhile is left out, and no cursor stays open while a slow
reader takes the archive.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import User
from django.core.files.base import File
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, QuerySet
from django.utils import timezone

from budgeteer.access.rules import role_of
from budgeteer.accounts.models import Passkey, SecondFactor, SignInIdentity
from budgeteer.collections.models import Collection
from budgeteer.engine.errors import ConfigError, InputError
from budgeteer.jobs.models import Job
from budgeteer.personal_data.exported_fields import exported
from budgeteer.personal_data.zip_stream import ZipMember
from budgeteer.presets.models import PresetProposal, PresetVersion
from budgeteer.reports.document import unpack_bytes
from budgeteer.reports.models import Report
from budgeteer.sources.models import OwnFormat, Source
from budgeteer.teams.models import Shareable, TeamMembership
from budgeteer.tokens.models import AccessToken
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Summary, Workspace

READ_BYTES: Final = 256 * 1024
NAME_BYTES: Final = 120
"""Of a source's own name, in UTF-8; file systems take 255 bytes."""

_UNSAFE: Final = re.compile(r'[\\/:*?"<>|]')
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

type Row = dict[str, Any]


@dataclass
class _Missing:
    """What could not be read, as `missing.json` lists it."""

    entries: list[Row] = field(default_factory=list)

    def add(self, source: Source, path: str, error: InputError | OSError, *, written_bytes: int) -> None:
        """Note a source whose file ends after so many bytes."""
        if isinstance(error, InputError):
            why = error.sentence
        else:
            why = f"The stored file cannot be read ({error.strerror or type(error).__name__})."
        self.entries.append(
            {
                "source": source.pk,
                "name": source.name,
                "file": path,
                "writtenBytes": written_bytes,
                "sizeBytes": source.size_bytes,
                "why": why,
            }
        )


def members_of(user: User) -> Iterator[ZipMember]:
    """The files of a person's archive, each read when it is taken."""
    now = timezone.now()
    missing = _Missing()
    sources = {
        pk: f"sources/{number}-{safe_name(name)}"
        for number, (pk, name) in enumerate(_listed(Source, owner=user).values_list("pk", "name"), 1)
    }
    yield _as_json("account.json", _account(user), now)
    yield from _originals(sources, missing)
    yield _as_list("sources.json", _rows(Source, sources, lambda row: _source(row, sources)), now)
    yield _as_list("workspaces.json", _rows(Workspace, _keys(Workspace, owner=user), _workspace), now)
    yield _as_list("summaries.json", _rows(Summary, _keys(Summary, owner=user), exported), now)
    yield _as_list("collections.json", _rows(Collection, _keys(Collection, owner=user), _collection), now)
    yield from _reports(user, now)
    yield _as_list("presets.json", _presets(user), now)
    yield _as_list("tokens.json", _rows(AccessToken, _keys(AccessToken, owner=user), exported), now)
    yield _as_list("formats.json", _rows(OwnFormat, _keys(OwnFormat, owner=user), exported), now)
    yield _as_list("jobs.json", _rows(Job, _keys(Job, owner=user), exported), now)
    if missing.entries:
        yield _as_list("missing.json", missing.entries, now)


def safe_name(name: str) -> str:
    """A name that a file may have anywhere, without a way out of its folder; "file" where nothing is left of it."""
    seen = (" " if unicodedata.category(char) in _UNSEEN else char for char in unicodedata.normalize("NFC", name))
    plain = " ".join(_UNSAFE.sub("_", "".join(seen)).split()).strip(". ")
    stem, dot, ending = plain.rpartition(".")
    if not dot or len(ending) > 10:
        stem, ending = plain, ""
    room = NAME_BYTES - len(f"{dot}{ending}".encode()) if ending else NAME_BYTES
    short = stem.encode()[:room].decode("utf-8", "ignore").strip(". ") or "file"
    return f"{short}.{ending}" if ending else short


def _listed[M: Model](model: type[M], **chosen: object) -> QuerySet[M]:
    return model._default_manager.filter(**chosen).order_by("created_at", "pk")  # noqa: SLF001 - Django's public name


def _keys[M: Model](model: type[M], **chosen: object) -> list[Any]:
    return list(_listed(model, **chosen).values_list("pk", flat=True))


def _rows[M: Model](model: type[M], keys: Iterable[Any], written: Callable[[M], Row]) -> Iterator[Row]:
    """The rows of these keys that are there still, as they are written."""
    for key in keys:
        row = model._default_manager.filter(pk=key).first()  # noqa: SLF001 - as above
        if row is not None:
            yield written(row)


def _account(user: User) -> Row:
    factor = SecondFactor.objects.filter(user=user).first()
    role = role_of(user)
    return {
        **exported(user),
        "role": role.label if role else "",
        "second_factor": exported(factor) if factor else None,
        "passkeys": [exported(one) for one in Passkey.objects.filter(user=user)],
        "sign_in_identities": [exported(one) for one in SignInIdentity.objects.filter(user=user)],
        "teams": [
            {"team": one.team.name, **exported(one)}
            for one in TeamMembership.objects.filter(user=user).select_related("team")
        ],
    }


def _source(source: Source, files: dict[Any, str]) -> Row:
    return {**exported(source), "file": files[source.pk], "is_deleted": source.deleted_at is not None}


def _originals(paths: Mapping[Any, str], missing: _Missing) -> Iterator[ZipMember]:
    """Every upload, byte for byte; what storage does not have is noted in its place."""
    for pk, path in paths.items():
        source = Source.objects.filter(pk=pk).first()
        if source is None:
            continue
        try:
            file = source.upload.open("rb")
        except (InputError, OSError) as error:
            missing.add(source, path, error, written_bytes=0)
            continue
        yield ZipMember(path, _pieces(file, source, path, missing), source.created_at, source.size_bytes)


def _pieces(file: File[Any], source: Source, path: str, missing: _Missing) -> Iterator[bytes]:
    """The bytes of an opened upload; where storage goes away before their end, that is noted."""
    written = 0
    with file:
        try:
            while piece := file.read(READ_BYTES):
                written += len(piece)
                yield piece
        except (InputError, OSError) as error:
            missing.add(source, path, error, written_bytes=written)


def _team(row: Shareable) -> str | None:
    """The name of the one team that it is shared with."""
    return row.shared_through.team.name if row.shared_through else None


def _workspace(workspace: Workspace) -> Row:
    try:
        whole: Any = EditableConfig.of(workspace).data
    except ConfigError:
        whole = None  # of an earlier version; what was changed stands beside it
    links = [exported(link) for link in workspace.links.all()]
    return {**exported(workspace), "team": _team(workspace), "configuration": whole, "sources": links}


def _collection(collection: Collection) -> Row:
    runs = collection.runs.filter(owner_id=collection.owner_id).order_by("created_at")
    return {
        **exported(collection),
        "team": _team(collection),
        "sources": [link.source_id for link in collection.links.all()],
        "evaluations": [exported(run) for run in runs],
    }


def _reports(user: User, now: datetime) -> Iterator[ZipMember]:
    """The list of reports, and the frozen document of each that has one."""
    paths = {key: f"reports/{number}.json" for number, key in enumerate(_keys(Report, owner=user), 1)}
    frozen = set(Report.objects.filter(owner=user, document__isnull=False).values_list("pk", flat=True))

    def written(report: Report) -> Row:
        return {**exported(report), "file": paths[report.pk] if report.pk in frozen else None}

    yield _as_list("reports.json", _rows(Report, paths, written), now)
    for key, path in paths.items():
        report = Report.objects.filter(pk=key, document__isnull=False).first()
        if report is not None and report.document is not None:
            yield ZipMember(path, [unpack_bytes(report.document)], report.frozen_at or now)


def _presets(user: User) -> Iterator[Row]:
    for proposal in PresetProposal.objects.filter(author=user).select_related("preset").order_by("pk"):
        yield {"what": "proposal", "preset": proposal.preset and proposal.preset.slug, **exported(proposal)}
    for version in PresetVersion.objects.filter(author=user).select_related("preset").order_by("pk"):
        yield {"what": "version", "preset": version.preset.slug, **exported(version)}


def _dumped(value: object) -> bytes:
    # Half a surrogate pair, which JSON texts can hold, is no UTF-8.
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _as_json(name: str, value: object, now: datetime) -> ZipMember:
    return ZipMember(name, [_dumped(value), b"\n"], now)


def _as_list(name: str, rows: Iterable[Row], now: datetime) -> ZipMember:
    return ZipMember(name, _listed_json(rows), now)


def _listed_json(rows: Iterable[Row]) -> Iterator[bytes]:
    """A JSON list, a row at a time."""
    before = b"["
    for row in rows:
        yield before + b"\n" + _dumped(row)
        before = b","
    yield b"[]\n" if before == b"[" else b"\n]\n"
