"""One of everything that leads to an account, with a word in every text that stands nowhere else."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from budgeteer.accounts.models import Passkey, RecoveryCode, SecondFactor, SignInIdentity, SignInLink
from budgeteer.collections import runs as evaluations
from budgeteer.collections import services as collections
from budgeteer.collections.models import EvaluationChunk
from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.formats.mapping.field_mapping import FieldMapping
from budgeteer.http_api.models import KeyedAnswer
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.presets import proposals
from budgeteer.presets import services as presets
from budgeteer.presets.models import PresetVersion
from budgeteer.reports import services as reports
from budgeteer.reports.models import Report
from budgeteer.sources import own_formats
from budgeteer.sources import services as sources
from budgeteer.sources.files.storage import files_under
from budgeteer.sources.models import Source
from budgeteer.teams import services as teams
from budgeteer.teams.models import Team
from budgeteer.teams.sharing import EVERYONE
from budgeteer.tokens import services as tokens
from budgeteer.tokens.scopes import Scope
from budgeteer.workbench import services as workbench
from budgeteer.workbench.models import Summary, Workspace

PASSWORD = "seven grey trawlers"
FOLDERS = ("uploads", "sources", "collections")


@dataclass(frozen=True)
class Holdings:
    """What one person has; `word` stands in each of their texts and in nobody else's."""

    user: User
    word: str
    originals: dict[str, bytes]
    report: Report

    def client(self) -> Client:
        """Signed in as they are."""
        client = Client()
        client.force_login(self.user)
        return client


def make_two() -> tuple[Holdings, Holdings]:
    from tests import people

    ada = people.admin("ada-quillfeather", email="quillfeather@harbour.org", password=PASSWORD)
    bob = people.admin("bob-marlinspike", email="marlinspike@harbour.org", password=PASSWORD)
    first, second = holdings_of(ada, "quillfeather"), holdings_of(bob, "marlinspike")
    of_accounts = ContentType.objects.get_for_model(User)
    for one, other in ((ada, bob), (bob, ada)):
        LogEntry.objects.create(
            user=one, content_type=of_accounts, object_id=other.pk, object_repr=str(other), action_flag=CHANGE
        )
    return first, second


def holdings_of(user: User, word: str) -> Holdings:
    """Make one of everything, with every job done."""
    talk = {"messages": [{"role": "user", "content": f"Plan the {word}."}, {"role": "assistant", "content": word}]}
    originals = {f"{word}.json": json.dumps(talk).encode(), f"{word}-again.txt": f"User: How deep is {word}?".encode()}
    kept, deleted = (_upload(user, name, content) for name, content in originals.items())
    work()
    sources.delete(deleted)
    workspace = workbench.open_with_sources(user, [kept], name=f"Harbour {word}")
    Workspace.objects.filter(pk=workspace.pk).update(query_text=f"Where is {word}?", shared_with_team=True)
    Summary.objects.create(owner=user, key=f"key-{word}", text=f"All about {word}.")
    work()
    report = reports.publish(workspace, reports.PublishRequest(f"Report {word}", "full", 7), owner=user)
    collection = collections.create(user, name=f"Talks {word}", members=[kept])
    collections.share(collection, EVERYONE)
    run = evaluations.begin(collection, [NamedConfig(word, BudgetConfig())], owner=user, keeps_duplicates=False)
    work()
    EvaluationChunk.objects.create(
        run=run, number=99, pieces=[], conversations=1, rows=default_storage.save(f"{run.folder}/left.npz", _file(word))
    )
    default_storage.save(f"sources/{kept.pk}/1-killed/items", _file(word))  # what a killed attempt left
    own_formats.save(user, FieldMapping("$[*]", text=f"$.{word}"))
    plain = PresetVersion.objects.get(preset__slug="plain", number=1).preset
    proposals.propose(user, {"outputReserve": 900}, proposals.ProposalWords(f"For {word}."), preset=plain)
    presets.publish(preset=plain, config={"outputReserve": 800 + user.pk}, note="More room.", author=user)
    tokens.make(user, tokens.TokenRequest(f"laptop {word}", (Scope.PRESETS_READ,), 7))
    teams.create(Team(name=f"Team {user.pk}"), owner=user, by=user)
    _sign_in_rows(user, word)
    user.refresh_from_db()
    report.refresh_from_db()
    return Holdings(user, word, originals, report)


def _sign_in_rows(user: User, word: str) -> None:
    factor = SecondFactor.objects.create(user=user, secret=f"SECRET{word}", last_step=0)
    RecoveryCode.objects.create(factor=factor, digest=f"digest-{word}")
    Passkey.objects.create(
        user=user, credential_id=f"credential-{word}", public_key="key", user_handle="handle", name=f"Phone {word}"
    )
    SignInIdentity.objects.create(user=user, issuer="https://id.harbour.org", subject=f"subject-{word}")
    SignInLink.objects.create(user=user, token_hash=f"hash-{word}", expires_at=timezone.now() + timedelta(hours=1))
    KeyedAnswer.objects.create(owner=user, key=f"key-{word}", fingerprint="f", body=word.encode())


def _upload(user: User, name: str, content: bytes) -> Source:
    return sources.receive_upload(user, name=name, content=File(io.BytesIO(content), name))


def _file(word: str) -> ContentFile[bytes]:
    return ContentFile(word.encode())


def work() -> None:
    """Do every job that waits, and those that they ask for."""
    while (job := Job.objects.filter(state="queued").first()) is not None:
        execute(job.id, job.attempt)
        job.refresh_from_db()
        assert job.state == "succeeded", job.error


def stored() -> dict[str, bytes]:
    """Every stored file with its bytes."""
    found = {}
    for folder in FOLDERS:
        for name, _written in files_under(folder):
            with default_storage.open(name) as file:
                found[name] = file.read()
    return found


def models_that_lead_to_an_account() -> dict[type[Model], str]:
    """Every model with a path of foreign keys to the account of a person, and the path, as a lookup."""
    found: dict[type[Model], str] = {User: "pk"}
    while True:
        more = {
            model: field.name if target is User else f"{field.name}__{found[target]}"
            for model in apps.get_models()
            for field in model._meta.concrete_fields
            if field.is_relation
            and model not in found
            and (target := field.related_model) in found
            and _is_owning(field)
        }
        if not more:
            return found
        found |= more


def _is_owning(field: Any) -> bool:
    """Whether a row goes with what this field names, or has an author."""
    from django.db.models import CASCADE

    return field.remote_field.on_delete is CASCADE or field.name == "author"


def rows_of(user: User) -> dict[str, set[Any]]:
    """The keys of all rows that lead to a person, by the model's label."""
    return {
        model._meta.label: set(model._base_manager.filter(**{path: user.pk}).values_list("pk", flat=True))
        for model, path in models_that_lead_to_an_account().items()
    }


def all_values() -> Iterator[tuple[str, str]]:
    """Every row of every model as text, with the model's label."""
    for model in apps.get_models():
        for row in model._base_manager.values():
            yield model._meta.label, repr(row)
