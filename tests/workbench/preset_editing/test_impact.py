from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.presets import proposals
from budgeteer.presets.models import Preset, PresetProposal
from budgeteer.presets.proposals import ProposalWords
from budgeteer.sources.models import SourceMeasures
from budgeteer.teams.sharing import EVERYONE
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preset_editing import impact_view as views
from budgeteer.workbench.preset_editing.impact import (
    MOST_JOBS,
    WORKSPACES_A_JOB,
    FollowerOutcome,
    PresetImpact,
    follower_ids,
    impact_on,
    jobs_for,
    part_of,
)
from budgeteer.workbench.team import sharing
from tests import people

TIGHT = {"history": {"strategy": "newestFirst", "maxTokens": 9_000}}
TOO_SMALL = {"contextWindow": 3_000, "outputReserve": 2_900}


@pytest.fixture
def root(db: None) -> User:
    return people.admin("root")


@pytest.fixture
def admin(root: User) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(root)
    return client


def draft(author: User, config: dict[str, Any]) -> PresetProposal:
    preset = Preset.objects.get(slug="agent-default")
    return proposals.propose(author, config, ProposalWords("x"), preset=preset)


def tried(proposal: PresetProposal) -> PresetImpact:
    return impact_on(proposal, follower_ids(proposal), lambda _done, _total: None)


def another(session: Workspace, **fields: Any) -> Workspace:
    copy = sharing.copy_for(session.owner, session)
    for name, value in fields.items():
        setattr(copy, name, value)
    copy.save()
    return copy


def test_a_tighter_limit_names_who_leaves_out_more_and_counts_the_others(session: Workspace, root: User) -> None:
    overridden = another(session, config_delta={"history": {"maxTokens": 80_000}})
    another(session, preset_slug="plain", preset_number=1)
    undo_steps.commit(overridden, overridden.config_delta)
    found = tried(draft(root, TIGHT))
    assert found.named == {FollowerOutcome.DROPS_MORE: (str(session.pk),)}
    assert (found.followers, found.unchanged) == (2, 1)
    tokens = found.left_out[str(session.pk)]
    assert tokens.proposed - tokens.now > 0.1 * tokens.requested
    then = EditableConfig.of(session).on(draft(root, TIGHT).as_version(2))
    session.config_delta = dict(then.with_delta(then.data).delta) | TIGHT
    more = services.packing_of(session).verdict.counts["dropped"]
    assert more > services.packing_of(overridden).verdict.counts["dropped"]


def test_what_cannot_be_sent_any_more_is_over(session: Workspace, root: User) -> None:
    found = tried(draft(root, TOO_SMALL))
    assert found.named == {FollowerOutcome.OVER: (str(session.pk),)}
    session.config_delta = TOO_SMALL
    assert services.packing_of(session).error is not None


def test_the_same_configuration_changes_nothing(session: Workspace, root: User) -> None:
    assert tried(draft(root, Preset.objects.get(slug="agent-default").versions.get().config)) == PresetImpact({}, 1)


def test_changes_that_cannot_be_used_with_the_version_are_named(session: Workspace, root: User) -> None:
    undo_steps.commit(session, {"contextWindow": 5_000})
    found = tried(draft(root, {"outputReserve": 9_000}))
    assert found.named == {FollowerOutcome.UNUSABLE: (str(session.pk),)}


def test_a_source_that_is_not_counted_for_the_model_is_not_tried_and_starts_no_job(
    session: Workspace, root: User
) -> None:
    before = Job.objects.count(), SourceMeasures.objects.count()
    found = tried(draft(root, {"model": "gpt-4"}))
    assert found.named == {FollowerOutcome.NOT_TRIED: (str(session.pk),)}
    assert (Job.objects.count(), SourceMeasures.objects.count()) == before


def test_deleted_workspaces_and_other_presets_do_not_count(session: Workspace, root: User) -> None:
    services.delete(session)
    assert tried(draft(root, TIGHT)) == PresetImpact({}, 0)


def test_parts_join_to_the_whole(session: Workspace, root: User) -> None:
    for number in range(4):
        another(session, name=f"Copy {number}")
    proposal = draft(root, TIGHT)
    ids = follower_ids(proposal)
    assert [key for part in range(3) for key in part_of(ids, part, 3)] == ids
    parts = [impact_on(proposal, part_of(ids, part, 3), lambda _done, _total: None) for part in range(3)]
    read = [PresetImpact.from_json(part.to_json()) for part in parts]
    assert PresetImpact.joined(read) == PresetImpact.joined([tried(proposal)])
    assert [jobs_for(number) for number in (0, 1, WORKSPACES_A_JOB, WORKSPACES_A_JOB + 1, 10**6)] == [
        1,
        1,
        1,
        2,
        MOST_JOBS,
    ]


def test_it_is_found_before_it_is_published_and_names_only_what_one_may_see(
    admin: Client, session: Workspace, root: User, run_jobs: Callable[[], None], settings: Any
) -> None:
    settings.BUDGETEER_MODE = "team"
    session.name = "Ada’s harbour"
    session.save()
    shared = another(session, name="Shared harbour")
    sharing.share(shared, EVERYONE)
    own = another(session, name="My own harbour", owner=root)
    proposal = draft(root, TIGHT)
    url = proposal.get_absolute_url()
    assert "3 workspaces follow" in admin.get(url).content.decode()
    admin.post(reverse("workbench:preset_impact", args=[proposal.pk]))
    assert "Waiting to start" in admin.get(url).content.decode()
    run_jobs()
    page = unescape(admin.get(url).content.decode())
    said = re.sub(r"<[^>]+>", "", page)
    assert re.search(r"Tried \d+ \w+ on 3 workspaces: 3 would lose over 10 % of their content\.", said)
    kept = PresetImpact.from_json(Job.objects.get(kind="workbench.preset_impact").result["impact"]).left_out
    for tokens in (kept[str(own.pk)].now, kept[str(own.pk)].proposed):
        assert f"{tokens:,} ({round(100 * tokens / kept[str(own.pk)].requested)} %)" in page
    assert "Shared harbour" in page
    assert f"/w/{own.pk}/compare/?a=own&b=upgrade:{proposal.pk}" in page
    assert "It changes 1 more that you may not see." in page
    assert "Ada’s harbour" not in page
    assert str(session.pk) not in page
    job = Job.objects.get(kind="workbench.preset_impact")
    assert "harbour" not in str([job.result, job.log, job.arguments, job.sentence])
    compared = admin.get(f"/w/{own.pk}/compare/?a=own&b=upgrade:{proposal.pk}").content.decode()
    assert "history.maxTokens" in compared


def test_saving_and_reviewing_tries_it_and_another_change_asks_again(
    admin: Client, session: Workspace, root: User, run_jobs: Callable[[], None]
) -> None:
    admin.post("/presets/agent-default/edit/")
    proposal = PresetProposal.objects.get()
    edit = reverse("workbench:edit_proposal", args=[proposal.pk])
    admin.post(edit, {"config.history.maxTokens": "9000", "review": ""})
    run_jobs()
    assert "on 1 workspace: 1 would lose over 10 %" in admin.get(proposal.get_absolute_url()).content.decode()
    admin.post(edit, {"config.history.maxTokens": "79000"})
    page = admin.get(proposal.get_absolute_url()).content.decode()
    assert "1 follows;" not in page
    assert 'id="try-impact"' in page


def test_a_draft_that_changed_before_its_turn_is_not_told_as_the_new_one(
    admin: Client, session: Workspace, root: User, run_jobs: Callable[[], None]
) -> None:
    proposal = draft(root, TIGHT)
    start_url = reverse("workbench:preset_impact", args=[proposal.pk])
    admin.post(start_url)
    proposals.rewrite(proposal, TOO_SMALL)
    run_jobs()
    job = Job.objects.get(kind="workbench.preset_impact")
    assert (job.state, "changed before its turn" in job.error["sentence"]) == ("failed", True)
    assert 'id="try-impact"' in admin.get(proposal.get_absolute_url()).content.decode()


def test_two_presses_start_one_trial_and_another_administrator_waits_for_it(
    admin: Client, session: Workspace, root: User
) -> None:
    proposal = proposals.propose(
        session.owner, TIGHT, ProposalWords("x"), preset=Preset.objects.get(slug="agent-default")
    )
    for _ in range(2):
        admin.post(reverse("workbench:preset_impact", args=[proposal.pk]))
    assert Job.objects.filter(kind="workbench.preset_impact").count() == 1
    second = Client(SERVER_NAME="localhost")
    second.force_login(people.admin("second"))
    answer = second.get(proposal.get_absolute_url())
    assert "Another administrator tries it on them" in answer.content.decode()
    assert answer["Refresh"]
    jobs.cancel(Job.objects.get(kind="workbench.preset_impact"))
    answer = second.get(proposal.get_absolute_url())
    assert 'id="try-impact"' in answer.content.decode()
    assert "Refresh" not in answer


def test_many_followers_are_divided_among_jobs(
    session: Workspace, root: User, monkeypatch: pytest.MonkeyPatch, run_jobs: Callable[[], None]
) -> None:
    monkeypatch.setattr(views, "jobs_for", lambda _followers: 3)
    for number in range(4):
        another(session, name=f"Copy {number}")
    proposal = draft(root, TIGHT)
    views.start_impact(proposal, root)
    assert Job.objects.filter(kind="workbench.preset_impact").count() == 3
    run_jobs()
    found = views.impact_view(proposal, root, here="/")
    assert (found.tried, len(found.rows)) == ("5 workspaces", 0)  # its owner is another one
    assert found.sentence.startswith("5 would lose")
    another(session, name="One more")
    found = views.impact_view(proposal, root, here="/")
    assert (found.is_stale, found.tried) == (True, "5 of 6 workspaces")
