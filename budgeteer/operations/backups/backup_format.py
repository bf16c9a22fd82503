"""What a backup holds: a tar archive with the rows as JSON lines, the files by their names, and a manifest at its end.

The manifest is written last, so that an archive that was cut short has none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from django.apps import apps
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from budgeteer.engine.errors import InputError

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
ROWS: Final = "rows.jsonl"
FILES: Final = "files/"

#: What a backup holds, in the order it is restored in.
KEPT: Final = (
    "auth.Group",
    "auth.User",
    "admin.LogEntry",
    "accounts.SecondFactor",
    "accounts.RecoveryCode",
    "accounts.Passkey",
    "accounts.SignInIdentity",
    "accounts.AuditEntry",
    "teams.Team",
    "teams.TeamMembership",
    "presets.Preset",
    "presets.PresetVersion",
    "presets.PresetProposal",
    "sources.Source",
    "sources.OwnFormat",
    "workbench.Workspace",
    "workbench.WorkspaceSource",
    "workbench.Summary",
    "collections.Collection",
    "collections.CollectionSource",
    "collections.EvaluationRun",
    "collections.EvaluationChunk",
    "collections.EvaluationSegment",
    "reports.Report",
    "jobs.Job",
)
#: What it does not hold, and why.
LEFT_OUT: Final[Mapping[str, str]] = {
    "auth.Permission": "made by the migrations",
    "contenttypes.ContentType": "made by the migrations",
    "sessions.Session": "everybody signs in again",
    "accounts.SignInLink": "a link works once, and not after a restore",
    "accounts.SignInTry": "tries are counted for minutes",
    "tokens.AccessToken": "one that was revoked since would open the account again",
    "http_api.KeyedAnswer": "answers are kept for a day",
    "http_api.RequestCount": "requests are counted for minutes",
    "jobs.Presence": "which processes are alive",
    "sources.SourceMeasures": "counts are made again where they are looked at",
    "sources.KnownRun": "of counts as well",
}


#: Where rows name files of the storage.
FILE_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "sources.Source": ("upload", "items"),
    "collections.Collection": ("survey",),
    "collections.EvaluationChunk": ("rows",),
    "collections.EvaluationSegment": ("rows",),
}


def kept_models() -> dict[str, Any]:
    """The models that a backup holds by their labels, in order."""
    return {label: apps.get_model(label) for label in KEPT}


def file_names() -> Iterator[str]:
    """The names of the files that rows refer to, each once."""
    seen: set[str] = set()
    for label, fields in FILE_FIELDS.items():
        rows = apps.get_model(label).objects.values_list(*fields)
        for name in itertools.chain.from_iterable(rows.iterator()):
            if name and name not in seen:
                seen.add(name)
                yield name


def migrations_of() -> list[str]:
    """The migrations that the database has, as `app.name`."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive holds: who made it when, the database's migrations, rows by model, and how many files.

    `gone` are files that a row named and the storage had not any more.
    """

    version: str
    created: str
    migrations: tuple[str, ...]
    rows: Mapping[str, int]
    files: int
    gone: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As the archive holds it."""
        return {
            "format": FORMAT,
            "version": self.version,
            "created": self.created,
            "migrations": list(self.migrations),
            "rows": dict(self.rows),
            "files": self.files,
            "gone": list(self.gone),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of to_json.

        Raises:
            InputError: it is of another format.
        """
        if data.get("format") != FORMAT:
            raise InputError(
                f"this backup has the format {data.get('format')!r}, and this version of Budgeteer reads {FORMAT}",
                where=MANIFEST,
                mend="Restore it with the version that made it",
            )
        return cls(
            data["version"],
            data["created"],
            tuple(data["migrations"]),
            data["rows"],
            data["files"],
            tuple(data["gone"]),
        )
