"""Which fields of which rows a download of one's data holds, and which it does not, and why.

`tests/personal_data/test_exported_fields.py` holds both tables to the models: a new field or a new model that leads to
an account has to be put into one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from django.db.models import Model

_OWNER: Final = "the person whose download it is"
_INTERNAL: Final = "a number of the database"
_SECRET: Final = "whoever has it could sign in, open a link or guess a password"  # noqa: S105 - a reason
_DERIVED: Final = "read or counted from what is in the download"

#: By the label of a model, the fields that are written, in their order.
EXPORTED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "auth.User": ("username", "email", "first_name", "last_name", "is_active", "date_joined", "last_login"),
        "accounts.SecondFactor": ("created_at",),
        "accounts.Passkey": ("name", "created_at", "last_used_at"),
        "accounts.SignInIdentity": ("issuer", "subject", "created_at", "last_used_at"),
        "tokens.AccessToken": ("id", "name", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"),
        "teams.TeamMembership": ("role", "created_at"),
        "sources.Source": (
            *("id", "name", "kind", "format", "requested_format", "state", "sha256", "size_bytes", "revision"),
            *("counts", "report", "error", "masks", "created_at", "updated_at", "deleted_at"),
        ),
        "sources.OwnFormat": ("id", "title", "mapping", "created_at"),
        "workbench.Workspace": (
            *("id", "name", "preset_slug", "preset_number", "declined_number", "is_preset_open", "named_model"),
            *("config_delta", "edits"),
            *("system_text", "context_text", "query_text", "last_verdict", "undo_steps", "redo_steps", "revision"),
            *("shared_with_team", "created_at", "updated_at", "deleted_at"),
        ),
        "workbench.WorkspaceSource": ("source_id", "conversation_index", "order", "role"),
        "workbench.Summary": (
            *("key", "text", "written_text", "writer", "notes", "created_at", "updated_at", "edited_at"),
        ),
        "collections.Collection": (
            *("id", "name", "shared_with_team", "surveyed", "created_at", "updated_at", "deleted_at"),
        ),
        "collections.CollectionSource": ("source_id",),
        "collections.EvaluationRun": (
            *("id", "configs", "keeps_duplicates", "replays_sessions", "state", "conversations", "left_out", "record"),
            *("error", "created_at", "started_at", "finished_at"),
        ),
        "reports.Report": (
            *("id", "kind", "title", "content", "workspace_id", "evaluation_id", "embed_on", "opened", "is_held"),
            *("findings", "verdict", "created_at", "frozen_at", "expires_at", "revoked_at"),
        ),
        "presets.PresetProposal": (
            *("title", "description", "config", "note", "based_on", "state", "answer", "harness", "harness_version"),
            *("source_url", "checked_on", "created_at", "updated_at", "decided_at"),
        ),
        "presets.PresetVersion": (
            *("number", "config", "note", "harness", "harness_version", "source_url", "checked_on", "created_at"),
        ),
        "jobs.Job": (
            *("id", "kind", "subject", "state", "sentence", "log", "error"),
            *("created_at", "started_at", "finished_at"),
        ),
    }
)

#: By the label of a model, the fields that are not, each with the reason.
WITHHELD: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "auth.User": {
            "id": _INTERNAL,
            "password": _SECRET,
            "is_staff": "written as the role",
            "is_superuser": "written as the role",
        },
        "accounts.SecondFactor": {"id": _INTERNAL, "user": _OWNER, "secret": _SECRET, "last_step": _INTERNAL},
        "accounts.Passkey": {
            "id": _INTERNAL,
            "user": _OWNER,
            "credential_id": _SECRET,
            "public_key": _SECRET,
            "user_handle": _SECRET,
            "sign_count": _INTERNAL,
        },
        "accounts.SignInIdentity": {"id": _INTERNAL, "user": _OWNER},
        "tokens.AccessToken": {"owner": _OWNER, "token_hash": _SECRET, "beginning": _SECRET, "form_key": _INTERNAL},
        "teams.TeamMembership": {"id": _INTERNAL, "user": _OWNER, "team": "written as the team's name"},
        "sources.Source": {
            "owner": _OWNER,
            "import_job": _INTERNAL,
            "upload": "the file itself is in the download",
            "items": _DERIVED,
            "scan": _DERIVED,
        },
        "sources.OwnFormat": {"owner": _OWNER},
        "workbench.Workspace": {"owner": _OWNER, "shared_through": "written as the team's name"},
        "workbench.WorkspaceSource": {"id": _INTERNAL, "workspace": "it stands in the workspace"},
        "workbench.Summary": {"id": _INTERNAL, "owner": _OWNER},
        "collections.Collection": {
            "owner": _OWNER,
            "shared_through": "written as the team's name",
            "survey_key": _INTERNAL,
            "survey": _DERIVED,
        },
        "collections.CollectionSource": {"id": _INTERNAL, "collection": "it stands in the collection"},
        "collections.EvaluationRun": {
            "owner": _OWNER,
            "collection": "it stands in the collection",
            "queued_at": _INTERNAL,
            "turn_at": _INTERNAL,
        },
        "reports.Report": {
            "owner": _OWNER,
            "token": _SECRET,
            "token_digest": _SECRET,
            "password": _SECRET,
            "form_key": _INTERNAL,
            "snapshot": _DERIVED,
            "document": "the document itself is in the download",
        },
        "presets.PresetProposal": {
            "id": _INTERNAL,
            "preset": "written as the preset's name",
            "author": _OWNER,
            "decided_by": "somebody else",
            "published": _INTERNAL,
        },
        "presets.PresetVersion": {"id": _INTERNAL, "preset": "written as the preset's name", "author": _OWNER},
        "jobs.Job": {
            "owner": _OWNER,
            **dict.fromkeys(("queue", "arguments", "is_only_one", "request_id", "trace_parent"), _INTERNAL),
            **dict.fromkeys(("done", "total", "unit", "result"), _INTERNAL),
            **dict.fromkeys(("attempt", "worker", "lost_workers", "sends"), _INTERNAL),
            **dict.fromkeys(("sent_at", "claimed_at", "heartbeat_at"), _INTERNAL),
        },
    }
)

#: Rows that lead to an account and are not written at all.
WITHHELD_MODELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "admin.LogEntry": "what an administrator did to others' accounts names those",
        "accounts.SignInLink": _SECRET,
        "accounts.RecoveryCode": _SECRET,
        "http_api.KeyedAnswer": "answers of the HTTP API, kept for a day",
        "sources.SourceMeasures": _DERIVED,
        "collections.EvaluationChunk": _DERIVED,
        "collections.EvaluationSegment": "the rows of an evaluation are a file of its page",
    }
)


def exported(row: Model) -> dict[str, Any]:
    """The fields of a row that are written, by name."""
    return {name: getattr(row, name) for name in EXPORTED[row._meta.label]}  # noqa: SLF001 - Django's public name
