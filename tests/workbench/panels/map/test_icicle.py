from __future__ import annotations

import re
from itertools import pairwise

from budgeteer.engine.packing.result import Packing
from budgeteer.workbench import services
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.map.icicle import IcicleBlock, icicle_of
from budgeteer.workbench.state import ViewState


def edges(blocks: tuple[IcicleBlock, ...]) -> list[tuple[float, float]]:
    spans = [(float(block.left.rstrip("%")), float(block.span.rstrip("%"))) for block in blocks]
    return [(left, left + span) for left, span in spans]


def packed(workspace: Workspace) -> Packing:
    return services.packing_of(workspace)


def test_sections_stand_beside_each_other_over_the_whole_width(session: Workspace) -> None:
    picture = icicle_of(packed(session), ViewState())
    assert picture is not None
    places = edges(picture.sections)
    assert places == sorted(places)
    assert places[0][0] == 0
    assert 99 < places[-1][1] <= 100.2


def test_what_is_drawn_in_the_last_row_is_all_that_is_asked_for(session: Workspace) -> None:
    packing = packed(session)
    picture = icicle_of(packing, ViewState())
    assert picture is not None
    drawn = [re.search(r"([\d,]+) tokens", block.title) for block in picture.items]
    assert sum(int(found[1].replace(",", "")) for found in drawn if found) == int(packing.ledger.before_tokens.sum())
    places = edges(picture.items)
    assert all(left[0] <= right[0] for left, right in pairwise(places))


def test_items_that_cannot_be_seen_join_their_neighbours(session: Workspace) -> None:
    packing = packed(session)
    picture = icicle_of(packing, ViewState())
    assert picture is not None
    assert len(picture.items) < len(packing.ledger)
    assert len(picture.items) <= 125


def test_dropped_items_are_outlines(library: Workspace) -> None:
    picture = icicle_of(packed(library), ViewState())
    assert picture is not None
    assert [block.css for block in picture.items if "dropped" in block.title]
    assert {block.css for block in picture.items if "dropped" in block.title} == {"ds kK"}
    assert picture.groups[0].label == "106 of 130"


def test_an_empty_prompt_has_no_picture(owner) -> None:
    workspace = services.open_with_sources(owner, [])
    assert icicle_of(packed(workspace), ViewState()) is None
