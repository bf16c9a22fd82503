"""One of everything that URLs name, sources to proposals of presets, and people of every role, in teams."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import File
from django.utils import timezone

from budgeteer.accounts.models import AuditEntry
from budgeteer.collections import runs as evaluations
from budgeteer.collections import services as collections
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.formats.mapping.field_mapping import FieldMapping
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job, Presence
from budgeteer.presets import proposals
from budgeteer.presets.models import PresetProposal, PresetVersion
from budgeteer.reports import services as reports
from budgeteer.reports.models import Report
from budgeteer.sources import own_formats
from budgeteer.sources import services as sources
from budgeteer.sources.models import OwnFormat, Source
from budgeteer.teams import services as teams
from budgeteer.teams.models import Team
from budgeteer.teams.sharing import Audience, audience_named
from budgeteer.tokens import services as tokens
from budgeteer.tokens.models import AccessToken
from budgeteer.tokens.scopes import Scope
from budgeteer.workbench import services as workbench
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.team import sharing
from tests import people

CHAT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Plan the harbour."}]}


@dataclass(frozen=True)
class World:
    """Real rows, all of them `owner`'s."""

    owner: User
    team: Team
    source: Source
    workspace: Workspace
    shared: Workspace
    job: Job
    presence: Presence
    report: Report
    version: PresetVersion
    proposal: PresetProposal
    token: AccessToken
    runs: tuple[EvaluationRun, EvaluationRun]
    """One of a collection that nobody else may look at, and one of a collection that is shared with a team."""

    def arguments(self, path: str, *, is_shared: bool) -> dict[str, Any]:
        """What a URL pattern asks for, by the names of its parts."""
        workspace = self.shared if is_shared else self.workspace
        run = self.runs[is_shared]
        known = {
            "source_id": self.source.id,
            "format_id": OwnFormat.objects.get(owner=self.owner).id,
            "workspace_id": workspace.id,
            "collection_id": run.collection_id,
            "run_id": run.id,
            "link_id": workspace.links.get().pk,
            "job_id": self.job.id,
            "proposal_id": self.proposal.pk,
            "report_id": self.report.id,
            "slug": "agent-session" if path.startswith("samples/") else self.version.preset.slug,
            "number": self.version.number,
            "what": "items" if "/tables/" in path else "text",
            "uidb64": "MQ",
            "token": "made-up" if path.startswith(("enter/", "account/")) else self.report.token,
            "id": self.owner.pk,
            "pk": self.version.preset_id,
            "object_id": self._object_of(path),
            "content_type_id": "0",
            "app_label": "auth",
            "url": "nothing/here/",
            "rest": "nothing/here",
            "token_id": self.token.pk,
            "passkey_id": 0,
            "team_id": self.team.pk,
            "membership_id": self.team.memberships.latest("pk").pk,
        }
        return {name: known[name] for name in re.findall(r"(?:\?P)?<(?:\w+:)?(\w+)>", path)}

    def _object_of(self, path: str) -> str:
        """The admin's `object_id`: its model stands in the path."""
        objects = {
            "admin/auth/user/": self.owner,
            "admin/presets/preset/": self.version.preset,
            "admin/presets/presetversion/": self.version,
            "admin/teams/team/": self.team,
            "admin/jobs/job/": self.job,
            "admin/jobs/presence/": self.presence,
            "admin/accounts/auditentry/": AuditEntry.objects.earliest("pk"),
        }
        return next((str(row.pk) for start, row in objects.items() if path.startswith(start)), "0")


def make_world(owner: User) -> World:
    """Import, open, share and publish, with every job done."""
    content = json.dumps(CHAT).encode()
    source = sources.receive_upload(owner, name="harbour.json", content=File(io.BytesIO(content), "harbour.json"))
    workspaces = [workbench.open_with_sources(owner, [source], name=name) for name in ("Harbour", "Shared harbour")]
    team = make_team("Harbour office", owner)
    audience = audience_named(owner, str(team.pk))
    sharing.share(workspaces[1], audience)
    _work()
    report = reports.publish(
        workspaces[0], reports.PublishRequest("Harbour", "full", 7, embed_on="https://wiki.harbour.org"), owner=owner
    )
    _work()
    report.refresh_from_db()
    own_formats.save(owner, FieldMapping("$[*]", text="$.words"))
    source.refresh_from_db()
    version = PresetVersion.objects.select_related("preset").get(preset__slug="plain", number=1)
    job = Job.objects.get(kind="sources.import")
    presence = Presence.objects.create(name="worker-1", part="worker", host="here", version="0", seen_at=timezone.now())
    words = proposals.ProposalWords("More room.")
    proposal = proposals.propose(owner, {"outputReserve": 900}, words, preset=version.preset)
    token = tokens.make(owner, tokens.TokenRequest("laptop", (Scope.PRESETS_READ,), 7)).token
    runs = _evaluated(owner, source, audience)
    return World(
        owner, team, source, workspaces[0], workspaces[1], job, presence, report, version, proposal, token, runs
    )


def _evaluated(owner: User, source: Source, audience: Audience | None) -> tuple[EvaluationRun, EvaluationRun]:
    """A collection of the source that is private and one that is shared, each evaluated."""

    def evaluated(collection: Collection) -> EvaluationRun:
        config = NamedConfig("Defaults", BudgetConfig())
        run = evaluations.begin(collection, [config], owner=owner, keeps_duplicates=False)
        while Job.objects.filter(state="queued").exists():
            _work()
        run.refresh_from_db()
        return run

    own, shared = (collections.create(owner, name=name, members=[source]) for name in ("Talks", "Shared talks"))
    collections.share(shared, audience)
    return evaluated(own), evaluated(shared)


def make_people() -> dict[str, User]:
    """Everybody of the matrix but the visitor and the owner's second self; the stranger has a team of their own."""
    stranger = people.editor("sven")
    teams.create(Team(name="Pilots"), owner=stranger, by=stranger)
    return {
        "viewer": people.viewer("vera"),
        "owner": people.editor("ada"),
        "other": people.editor("bob"),
        "stranger": stranger,
        "admin": people.admin("root"),
    }


def make_team(name: str, owner: User) -> Team:
    """A team of the owner's, with an editor and a viewer of `make_people` in it where they are there."""
    team = Team(name=name)
    teams.create(team, owner=owner, by=owner)
    for user in User.objects.filter(username__in=("bob", "vera")).order_by("username"):
        teams.add(team, user.username, by=owner)
    return team


def _work() -> None:
    for job in Job.objects.filter(state="queued"):
        execute(job.id, job.attempt)
        job.refresh_from_db()
        assert job.state == "succeeded", job.error
