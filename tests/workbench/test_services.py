from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from budgeteer.engine.errors import ConfigError, InputError
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps as steps
from budgeteer.workbench.followers import count_followers
from budgeteer.workbench.models import Workspace


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return services.open_with_sources(owner, [])


def test_a_workspace_is_named_after_its_first_source(session: Workspace) -> None:
    assert session.name == "agent session and 2 more"
    assert session.links.count() == 3


def test_only_the_owner_finds_a_workspace(workspace: Workspace, owner: User, other: User) -> None:
    assert services.of(owner, workspace.id) == workspace
    assert services.of(other, workspace.id) is None
    assert list(services.live(other)) == []


def test_a_deleted_workspace_is_gone_until_it_is_brought_back(workspace: Workspace, owner: User, other: User) -> None:
    services.delete(workspace)
    assert services.of(owner, workspace.id) is None
    assert services.restore(other, workspace.id) is None
    assert services.restore(owner, workspace.id) == workspace
    assert services.of(owner, workspace.id) == workspace


def test_every_saved_change_is_one_step_to_undo(workspace: Workspace) -> None:
    first, second = {"model": "gpt-4"}, {"model": "gpt-4", "outputReserve": 9}
    assert steps.commit(workspace, first)
    assert steps.commit(workspace, second)
    assert not steps.commit(workspace, dict(second))
    assert steps.undo(workspace)
    assert workspace.config_delta == first
    assert steps.redo(workspace)
    assert workspace.config_delta == second
    assert steps.undo(workspace)
    assert steps.undo(workspace)
    assert not steps.undo(workspace)
    assert workspace.config_delta == {}


def test_a_new_change_ends_what_could_be_done_again(workspace: Workspace) -> None:
    steps.commit(workspace, {"model": "gpt-4"})
    steps.undo(workspace)
    steps.commit(workspace, {"outputReserve": 9})
    assert not steps.redo(workspace)


def test_fifty_steps_are_kept(workspace: Workspace) -> None:
    for number in range(steps.UNDO_STEPS + 5):
        steps.commit(workspace, {"outputReserve": number})
    assert len(workspace.undo_steps) == steps.UNDO_STEPS


def test_an_empty_name_is_not_taken(workspace: Workspace) -> None:
    assert not services.rename(workspace, "   ")
    assert services.rename(workspace, "  Two   words ")
    assert workspace.name == "Two words"


def test_an_unknown_preset_is_refused(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="there is no preset"):
        services.follow(workspace, "nothing-like-it")


def test_a_typed_text_may_hold_twenty_thousand_bytes(workspace: Workspace) -> None:
    assert services.write_texts(workspace, {"system": "a" * services.TEXT_LIMIT_BYTES}) == {}
    refused = services.write_texts(workspace, {"system": "é" * services.TEXT_LIMIT_BYTES, "query": "short"})
    assert "40,000 bytes" in refused["system"].sentence
    workspace.refresh_from_db()
    assert workspace.system_text == "a" * services.TEXT_LIMIT_BYTES
    assert workspace.query_text == "short"


def test_a_source_is_used_once_and_can_be_taken_out(session: Workspace) -> None:
    link = session.links.first()
    assert link is not None
    assert services.attach(session, link.source) == link
    services.detach(session, link.pk)
    assert session.links.count() == 2


def test_a_source_can_be_brought_first(session: Workspace) -> None:
    last = session.links.last()
    assert last is not None
    services.bring_first(session, last.pk)
    assert session.links.first() == last


def test_followers_are_counted_without_deleted_workspaces(workspace: Workspace, owner: User) -> None:
    gone = services.open_with_sources(owner, [])
    services.delete(gone)
    assert count_followers([workspace.preset_slug, "plain"]) == {workspace.preset_slug: 1}


def test_a_worker_cannot_pack_while_a_source_is_importing(importing: Workspace) -> None:
    with pytest.raises(InputError, match="still being worked on"):
        services.packing_of(importing)


def test_a_worker_packs_the_workspace_as_it_stands(session: Workspace) -> None:
    packing = services.packing_of(session)
    assert packing.verdict.level == "limited"
    assert len(packing.ledger) == packing.verdict.items
