"""A workspace with pruning on: its form, and every view of a prompt in which blocks stand."""

import pytest
from django.test import Client

from budgeteer.engine.content.conversation import text_of
from budgeteer.workbench import services
from budgeteer.workbench.config_form.apply import apply_posted
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.item_content.texts import text_of_item
from budgeteer.workbench.models import Workspace


@pytest.fixture
def pruned(session: Workspace) -> Workspace:
    packing = services.packing_of(session)
    group = packing.bundle.history_measures.group.tolist()
    end = next(row for row in range(4, len(group)) if group[row] not in group[:row])
    spans = [{"startId": "m001", "endId": f"m{end:03d}", "summary": "A quiet start."}]
    pruning = {"mode": "auto", "ranges": [{"topic": "earlier work", "ranges": spans}]}
    session.config_delta = {"model": "gpt-4.1", "history": {"strategy": "full"}, "pruning": pruning}
    session.save()
    return session


@pytest.mark.parametrize("view", ["map", "messages", "prompt", "config"])
def test_every_view_shows_a_pruned_prompt(client: Client, pruned: Workspace, view: str) -> None:
    response = client.get(f"{pruned.get_absolute_url()}?view={view}")
    html = response.content.decode()
    assert response.status_code == 200
    assert "cannot be packed" not in html
    if view == "prompt":
        assert "A quiet start." in html


def test_the_inspector_has_the_text_of_a_block_and_of_what_it_stands_for(pruned: Workspace) -> None:
    packing = services.packing_of(pruned)
    block, message = (packing.ledger.find(key) for key in ("block:b1", f"message:{packing.bundle.history[0].id}"))
    assert block is not None
    assert message is not None
    assert text_of_item(packing, block) == "[Compressed conversation section]\n\nA quiet start."
    assert text_of_item(packing, message) == text_of(packing.bundle.history[0])


def test_the_form_sets_the_fields_of_pruning(session: Workspace) -> None:
    posted = {"pruning.mode": "auto", "pruning.protectedTools": "write, run", "pruning.turnProtection": "2"}
    change = apply_posted(EditableConfig.of(session), posted)
    assert not change.errors
    assert change.config.delta["pruning"] == {"mode": "auto", "protectedTools": ["write", "run"], "turnProtection": 2}


def test_ranges_that_do_not_go_are_said_with_their_place(client: Client, session: Workspace) -> None:
    wrong = [{"topic": "t", "ranges": [{"startId": "m001", "endId": "m99999", "summary": "x"}]}]
    session.config_delta = {"pruning": {"mode": "manual", "ranges": wrong}}
    session.save()
    html = client.get(session.get_absolute_url()).content.decode()
    assert "pruning.ranges.0.ranges.0.endId" in html
    assert "there is no m99999 in this conversation" in html
