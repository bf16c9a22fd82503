"""The interface of sources for other apps: the only module of this app that they import."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from django.contrib.auth.models import AnonymousUser, User
from django.core.files.base import File
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import FormatError, InputError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.format import Format
from budgeteer.formats.mapping.field_mapping import FieldMapping
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.reading.compressed_files import HEAD_BYTES, is_packed, is_tar, is_zip
from budgeteer.formats.reading.decoding import binary_kind, refuse_binary
from budgeteer.formats.registry import registry
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.sources import appending, own_formats, publication, uploads
from budgeteer.sources.appending import AppendRefused, ExpectedBytes, SameBytesElsewhere
from budgeteer.sources.cleanup import UNDO_TIME, purge
from budgeteer.sources.files.contents import Contents
from budgeteer.sources.forms import UploadForm, read_submission
from budgeteer.sources.loading import (
    LoadedSource,
    SourceNotReady,
    contents_of,
    counted,
    load,
    measures_of,
    read_message_measures,
)
from budgeteer.sources.models import OwnFormat, Source, SourceQuerySet
from budgeteer.sources.storage_quota import QuotaExceeded, use_of
from budgeteer.sources.uploads import FILES_AT_ONCE, UploadRefused, clean_name, too_many_files

# The longest text whose format is told while it is still being typed, and how much of an upload is read at once.
LOOK_CHARS = 200_000

__all__ = [
    "LOOK_CHARS",
    "UNDO_TIME",
    "AppendRefused",
    "Contents",
    "ExpectedBytes",
    "LoadedSource",
    "QuotaExceeded",
    "SameBytesElsewhere",
    "SourceNotReady",
    "UploadRefused",
    "UploadResult",
    "append",
    "contents_of",
    "delete",
    "ensure_measured",
    "formats",
    "import_again",
    "importing_job",
    "just_deleted",
    "latest_job",
    "load_inputs",
    "look_at",
    "measures_of",
    "purge",
    "read_message_measures",
    "receive_folder",
    "receive_paste",
    "receive_request",
    "receive_upload",
    "recent",
    "refresh_state",
    "rename",
    "restore",
    "use_of",
    "visible_source",
]


@dataclass(frozen=True, slots=True)
class UploadResult:
    """What one use of the drop zone led to: what was taken in, and what was refused with its sentence.

    `unread` are those of the sources of which a first look could read nothing.
    """

    sources: tuple[Source, ...]
    refused: tuple[InputError, ...]
    unread: frozenset[uuid.UUID] = frozenset()

    @property
    def readable(self) -> tuple[Source, ...]:
        """The sources without those of which nothing could be read."""
        return tuple(source for source in self.sources if source.pk not in self.unread)


def receive_upload(owner: User, *, name: str, content: File[bytes], as_format: str = "") -> Source:
    """Store one upload and ask for its import; `was_known` on the result says that these bytes were here already.

    Raises:
        UploadRefused: it is empty or over the limit (UPLOAD_MAX_BYTES); nothing is kept.
        QuotaExceeded: its owner's quota of storage has no room for it; nothing is kept.
    """
    return uploads.receive(owner, name=name, content=content, as_format=as_format)


def append(source: Source, content: File[bytes], *, known: ExpectedBytes) -> Source:
    """Put bytes behind those of a source, which the client says are `known`, and ask for the import of the whole.

    Raises:
        AppendRefused: the source holds other bytes than those that are to be appended to.
        SameBytesElsewhere: another source of the owner holds the whole.
        UploadRefused: the whole is over the limit (UPLOAD_MAX_BYTES).
        QuotaExceeded: its owner's quota of storage has no room for the new bytes.
    """
    return appending.append(source, content, known=known)


def receive_paste(owner: User, *, text: str, as_format: str = "", name: str = "") -> Source:
    """Store a pasted text as an upload of its own.

    Raises:
        UploadRefused: nothing but white space, or over the limit.
    """
    if not text.strip():
        raise UploadRefused("nothing was pasted", mend="Paste JSON, JSONL or plain text, or choose a file")
    # A lone surrogate half cannot be stored as UTF-8; the replacement is reported by the importer.
    data = text.encode("utf-8", errors="replace")
    shown = name or uploads.paste_name(text)
    return receive_upload(owner, name=shown, content=uploads.as_file(data, shown), as_format=as_format)


def receive_folder(owner: User, *, files: Iterable[File[bytes]], paths: str, as_format: str = "") -> Source:
    """Store the files of one folder as one zip.

    `paths` is JSON as the drop zone sends it: `[{"path": "folder/a.md", "modified": ms}, …]`, one for each file.

    Raises:
        UploadRefused: the paths do not match the files, or all together are over the limit.
    """
    listed = list(files)
    name, packed = uploads.pack_folder(listed, uploads.read_paths(paths, count=len(listed)))
    with packed:
        return receive_upload(owner, name=name, content=File(packed, name), as_format=as_format)


def receive_request(owner: User, data: QueryDict, files: MultiValueDict[str, UploadedFile[bytes]]) -> UploadResult:
    """Everything one POST of the drop zone carries; one refused file does not lose the others.

    More than `FILES_AT_ONCE` files are refused together.
    """
    submission = read_submission(data, files)
    if submission.is_empty:
        nothing = UploadRefused(
            "No file was chosen and nothing was pasted", mend="Choose a file, drop one, or paste text into the box"
        )
        return UploadResult((), (nothing,))
    if len(submission.files) > FILES_AT_ONCE:
        return UploadResult((), (too_many_files(len(submission.files)),))
    reception = _Reception(owner, submission)
    taken: list[Source] = []
    refused: list[InputError] = []
    for receive in reception.receivers():
        with _collecting(refused):
            taken.append(receive())
    return UploadResult(tuple(taken), tuple(refused), frozenset(reception.unread))


@dataclass(slots=True)
class _Reception:
    """One use of the drop zone while it is stored; what is small is read once before, and told where that failed.

    Attributes:
        bytes_left: so much is still read while the request waits.
        unread: the sources of which nothing could be read.
    """

    owner: User
    submission: UploadForm
    bytes_left: int = LOOK_CHARS
    unread: set[uuid.UUID] = field(default_factory=set)

    def receivers(self) -> Iterator[Callable[[], Source]]:
        """What stores each of its files, its folder and its text."""
        submission, asked = self.submission, self.submission.as_format
        for file in submission.files:
            yield partial(self._receive_file, file)
        if submission.folder:
            yield partial(receive_folder, self.owner, files=submission.folder, paths=submission.paths, as_format=asked)
        if submission.text.strip():
            yield self._receive_text

    def _receive_file(self, file: UploadedFile[bytes]) -> Source:
        """Store a file unless it holds no text; what no format reads is kept, to be read as another one.

        Raises:
            FormatError: it is a picture, a sound or another binary file; nothing is kept.
            UploadRefused: it is empty or over the limit.
        """
        name = clean_name(file.name or "")
        head = file.read(HEAD_BYTES)
        is_packed_file = is_zip(head) or is_packed(head) or is_tar(head)
        if not is_packed_file and (kind := binary_kind(head)):
            raise refuse_binary(kind, where=name)
        file.seek(0)
        is_looked_at = head and not is_packed_file and (file.size or 0) <= self.bytes_left
        problem = self._problem_of(file.read(), name) if is_looked_at else None
        source = receive_upload(self.owner, name=name, content=file, as_format=self.submission.as_format)
        return self._told(source, problem)

    def _receive_text(self) -> Source:
        """Store a pasted text unless nothing can be read of it: it is still in its box, and is mended there.

        What no format reads is kept where its owner asks for that, to map its fields or to choose its format.

        Raises:
            FormatError: nothing can be read of it; nothing is kept.
            UploadRefused: it is over the limit.
        """
        text = self.submission.text
        data = text.encode("utf-8", errors="replace")
        problem = self._problem_of(data, "") if len(data) <= self.bytes_left else None
        if problem and not self.submission.is_kept:
            problem.where = problem.where[:1].upper() + problem.where[1:]  # a place within the text, no file's name
            raise problem
        source = receive_paste(self.owner, text=text, as_format=self.submission.as_format)
        return self._told(source, problem)

    def _problem_of(self, data: bytes, name: str) -> FormatError | None:
        """Why nothing can be read of these bytes, None where something can."""
        self.bytes_left -= len(data)
        own = own_formats.formats_of(self.owner)
        try:
            import_bytes(data, name=name, as_format=self.submission.as_format or None, own=own)
        except FormatError as error:
            return error
        return None

    def _told(self, source: Source, problem: FormatError | None) -> Source:
        if problem and not source.is_ready:
            self.unread.add(source.pk)
        return source


@contextmanager
def _collecting(refused: list[InputError]) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        refused.append(error)


def load_inputs(source: Source, *, tokenizer: str, conversation: int = 0) -> LoadedSource:
    """A source as a packing wants it; measures that are not counted yet are None (see ensure_measured).

    Raises:
        SourceNotReady: its import has not finished, or failed.
        InputError: the file holds no conversation of that number.
    """
    return load(source, tokenizer=tokenizer, conversation=conversation)


def ensure_measured(source: Source, tokenizer: str) -> Job | None:
    """None when the source is counted under the tokenizer; else the job that counts it, one at a time.

    Raises:
        TokenizerUnavailable: the tokenizer is not packaged here.
    """
    counter_for(tokenizer)
    stored = counted(source, tokenizer)
    if stored.exists():
        return None
    if not source.is_ready:
        return latest_job(source)
    subject = f"{source.subject}:{tokenizer}:{source.revision}"
    last = jobs.latest_for(subject)
    if last is not None and last.state == "failed":
        return last
    try:
        return jobs.enqueue_once(
            "sources.measure",
            arguments={"source_id": str(source.id), "tokenizer": tokenizer, "revision": source.revision},
            owner=source.owner,
            subject=subject,
            queue=uploads.queue_of(source),
            is_done=stored.exists,
        )
    except jobs.AlreadyDone:
        return None


def is_measured(source: Source, tokenizer: str) -> bool:
    """Whether the source is counted under the tokenizer; no job is started where it is not."""
    return counted(source, tokenizer).exists()


def formats(owner: User | AnonymousUser | None = None) -> tuple[Format, ...]:
    """Every format, for a choice by name; the owner's own behind the others."""
    return (*registry().formats, *(own_formats.formats_of(owner) if isinstance(owner, User) else ()))


def save_mapping(source: Source, mapping: FieldMapping) -> None:
    """Keep a mapping as a format of the source's owner, and import the source by it.

    Raises:
        InputError: the owner has as many formats of their own as fit.
    """
    row = own_formats.save(source.owner, mapping)
    import_again(source, as_format=row.format_name)


def formats_of_own(owner: User) -> list[OwnFormat]:
    """The formats that the owner saved, the newest first."""
    return list(OwnFormat.objects.filter(owner=owner))


def own_format(owner: User, format_id: uuid.UUID) -> OwnFormat | None:
    """One of them, None where it is not the owner's."""
    return own_formats.of_user(owner, format_id)


def look_at(text: str, *, as_format: str = "", own: Sequence[Format] = ()) -> Imported:
    """What a pasted text is, read but not stored; only LOOK_CHARS of it are worth asking for.

    Raises:
        InputError: nothing usable is in it.
    """
    return import_bytes(text.encode("utf-8", errors="replace"), as_format=as_format or None, own=own)


def visible_source(owner: User | AnonymousUser, source_id: uuid.UUID) -> Source | None:
    """The source if this user may see it, its state brought up to date; None otherwise."""
    source = Source.objects.visible_to(owner).filter(id=source_id).first()
    return refresh_state(source) if source else None


def recent(owner: User | AnonymousUser, *, limit: int | None = 10) -> SourceQuerySet:
    """The owner's sources, newest first; all of them without a limit."""
    return Source.objects.visible_to(owner)[:limit]


def just_deleted(owner: User, source_id: str) -> Source | None:
    """The source of that id while its deletion can still be undone."""
    try:
        wanted = uuid.UUID(source_id)
    except ValueError:
        return None
    return Source.objects.filter(owner=owner, id=wanted, deleted_at__isnull=False).first()


def latest_job(source: Source) -> Job | None:
    """The youngest import of it."""
    return jobs.latest_for(source.subject)


def refresh_state(source: Source) -> Source:
    """A source whose import ended without a word (cancelled, worker lost for good) is as it was before it."""
    if source.state != Source.State.IMPORTING:
        return source
    job = latest_job(source)
    if job is None or not job.is_finished:
        return source
    if job.state == "succeeded":  # since the source was read
        source.refresh_from_db()
        return source
    cancelled = {"what": "The import was cancelled", "where": "", "mend": "Import it again when you like"}
    error = job.error or {**cancelled, "sentence": f"{cancelled['what']}. {cancelled['mend']}"}
    publication.give_up(source, error, job_id=job.id, asked=source.requested_format)
    source.refresh_from_db(fields=["state", "error", "requested_format", "import_job"])
    return source


def importing_job(source: Source) -> Job | None:
    """The import that is under way, None where there is none; the source's state is brought up to date.

    Rows are read one after the other: an import that ended in between must not be waited for.
    """
    if source.state != Source.State.IMPORTING:
        return None
    job = latest_job(source)
    if job is None or not job.is_finished:
        return job
    refresh_state(source)
    return latest_job(source) if source.state == Source.State.IMPORTING else None


def import_again(source: Source, *, as_format: str = "") -> None:
    """Import the kept upload again, as the format named or as detection finds."""
    uploads.restart_import(source, as_format=as_format)


def rename(source: Source, name: str) -> None:
    """Give it another name."""
    source.name = uploads.clean_name(name)
    source.save(update_fields=["name", "updated_at"])


def delete(source: Source) -> None:
    """Take it out of every list; `restore` brings it back until the next purge."""
    source.deleted_at = timezone.now()
    source.save(update_fields=["deleted_at", "updated_at"])


def restore(owner: User, source_id: uuid.UUID) -> Source | None:
    """Undo a deletion; None when there is nothing left to bring back."""
    source = Source.objects.filter(owner=owner, id=source_id).first()
    if source is not None and source.deleted_at is not None:
        source.deleted_at = None
        source.save(update_fields=["deleted_at", "updated_at"])
    return source
