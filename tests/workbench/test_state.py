from __future__ import annotations

from budgeteer.workbench.state import ViewState


def test_an_address_says_only_what_differs_from_the_default() -> None:
    assert ViewState().query() == "?"
    assert ViewState().query(view="prompt") == "?view=prompt"
    assert ViewState(view="prompt").query(view="map") == "?"


def test_what_is_written_is_read_back() -> None:
    state = ViewState(view="config", sel="tool:a b&c", filter="dropped", q="x y", sort="-name", page=3)
    from django.http import QueryDict

    assert ViewState.read(QueryDict(state.query()[1:])) == state


def test_what_makes_no_sense_is_the_default() -> None:
    assert ViewState.read({"view": "nowhere", "sort": "colour", "page": "0"}) == ViewState()
    assert ViewState.read({"page": "-1"}).page == 1
    assert ViewState.read({"page": "9" * 40}).page == 1
    assert ViewState.read({"page": "²"}).page == 1
