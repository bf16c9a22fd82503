from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.apply import apply_posted
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.fix_buttons import changes_of
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.features.panel import FeatureView, feature_view
from budgeteer.workbench.state import PanelName, ViewState
from tests.workbench.views.test_chunks_and_specs import TALK, specs


@pytest.fixture
def harbour(open_over: Callable[..., Workspace], run_jobs: Callable[[], None]) -> Workspace:
    workspace = open_over(("talk.json", TALK), ("specs.zip", specs()), delta={"features": {"mode": "search"}})
    run_jobs()
    return workspace


def view_of(workspace: Workspace, keywords: str = "") -> FeatureView:
    view = feature_view(services.packing_of(workspace), ViewState(view=PanelName.FEATURES, keywords=keywords))
    assert view is not None
    return view


def test_without_keywords_the_query_gives_them(harbour: Workspace) -> None:
    view = view_of(harbour)
    assert view.from_query
    assert "crane" in view.keywords
    assert [hit.path for hit in view.hits if hit.is_loaded] == ["crane.md"]
    assert view.use == ""


def test_other_keywords_are_tried_and_taken(harbour: Workspace) -> None:
    view = view_of(harbour, "ferry, tide")
    assert {hit.path for hit in view.hits} == {"ferry.md", "tide.md"}
    assert "Everything on the ferry." in view.answer
    undo_steps.commit(harbour, apply_posted(EditableConfig.of(harbour), changes_of(view.use)).config.delta)
    packing = services.packing_of(harbour)
    kept = {one.name for one in packing.ledger if one.section == "features" and one.fate == "kept"}
    assert kept == {"The ferry", "The tide"}
    assert view_of(harbour, "ferry, tide").use == ""


def test_each_mode_costs_what_the_packing_then_charges(harbour: Workspace) -> None:
    costs = {cost.name: cost for cost in view_of(harbour).costs}
    assert costs["This search"].is_in_force
    for name, mode in (("This search", "search"), ("Load all", "all")):
        undo_steps.commit(harbour, {"features": {"mode": mode}})
        section = services.packing_of(harbour).ledger.total("features")
        joins = int(costs[name].tokens.replace(",", "")) - section.tokens
        assert 0 <= joins <= len(costs)  # blank lines between pieces, which the ledger books with the system message


def test_nothing_matches(harbour: Workspace) -> None:
    view = view_of(harbour, "submarine")
    assert view.sentence == "Nothing matches submarine; the list of files is given: 3 specs."
    assert view.hits == ()


def test_the_tab_is_there_where_there_are_specs(client: Client, harbour: Workspace, library: Workspace) -> None:
    page = client.get(harbour.get_absolute_url(), {"view": "features", "keywords": "tide"}).content.decode()
    assert 'id="tab-features"' in page
    assert "1 of 3 specs match" in page
    assert 'id="tab-features"' not in client.get(library.get_absolute_url()).content.decode()
    empty = client.get(library.get_absolute_url(), {"view": "features"}).content.decode()
    assert "There are no feature specs here." in empty
