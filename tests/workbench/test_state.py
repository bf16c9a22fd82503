from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from django.http import HttpResponseRedirect

from budgeteer.workbench.state import PageRegion, PanelName, ViewState

ROOT = Path(__file__).parents[2]
NAMES = tuple(field.name for field in fields(ViewState))


def test_an_address_says_only_what_differs_from_the_default() -> None:
    assert ViewState().query() == "?"
    assert ViewState().query(view=PanelName.PROMPT) == "?view=prompt"
    assert ViewState(view=PanelName.PROMPT).query(view=PanelName.MAP) == "?"


def test_what_is_written_is_read_back() -> None:
    state = ViewState(view=PanelName.CONFIG, sel="tool:a b&c", filter="dropped", q="x y", sort="-name", page=3)
    from django.http import QueryDict

    assert ViewState.read(QueryDict(state.query()[1:])) == state


def test_a_default_state_leaves_the_address_bare() -> None:
    assert ViewState().address("/w/") == "/w/"
    assert ViewState().address("/w/", page=2) == "/w/?page=2"


def test_a_state_whose_address_nobody_could_be_led_to_is_left_out_of_it() -> None:
    longest = dict.fromkeys(("sel", "filter", "q", "open", "keywords", "steps", "settings"), "🦄" * 500)
    state = ViewState.read(longest)
    assert state.address("/w/") == "/w/"
    assert len(HttpResponseRedirect(ViewState.read({"q": "\U0001f984" * 500}).address("/w/"))["Location"]) > 2_000


def test_every_parameter_belongs_to_one_region_and_has_a_hidden_input_there() -> None:
    state = ViewState(sel="tool:a", start=3)
    named = [name for region in PageRegion for name in ViewState.names_of(region)]
    assert sorted(named) == sorted(NAMES)
    held = (*state.result_inputs, *state.inspector_inputs)
    assert dict(held) == {name: getattr(state, name) for name in NAMES}
    assert set(ViewState.RANGE) <= set(NAMES)


@pytest.mark.parametrize("name", ["workbench", "crossing", "charts"])
def test_no_script_names_a_parameter_of_the_address(name: str) -> None:
    script = (ROOT / f"static/budgeteer/js/{name}.js").read_text()
    assert re.findall(rf"""["'`](?:{"|".join(NAMES)})["'`]|\[name=(?:{"|".join(NAMES)})""", script) == []


@pytest.mark.parametrize("page", sorted((ROOT / "templates/workbench").rglob("*.html")), ids=lambda page: page.stem)
def test_no_template_writes_the_state_by_hand(page: Path) -> None:
    html = page.read_text()
    names = "|".join(NAMES)
    assert re.findall(rf'type="hidden"[^>]* name="(?:{names})"', html) == []
    assert re.findall(rf"[?&;](?:{names})=", html) == []


def test_no_module_writes_the_state_by_hand() -> None:
    by_hand = re.compile(rf"[?&](?:{'|'.join(NAMES)})=")
    modules = (ROOT / "budgeteer/workbench").rglob("*.py")
    assert [module.name for module in modules if by_hand.search(module.read_text())] == []


def test_what_makes_no_sense_is_the_default() -> None:
    assert ViewState.read({"view": "nowhere", "sort": "colour", "page": "0"}) == ViewState()
    assert ViewState.read({"page": "-1"}).page == 1
    assert ViewState.read({"page": "9" * 40}).page == 1
    assert ViewState.read({"page": "²"}).page == 1
