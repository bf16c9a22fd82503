"""The views of the workbench as tabs."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.workbench.state import ViewState

TAB_TITLES = {
    "map": "Map",
    "messages": "Messages",
    "prompt": "Prompt",
    "timeline": "Timeline",
    "sweep": "Sweep",
    "features": "Features",
    "config": "Config",
}


@dataclass(frozen=True, slots=True)
class Tab:
    """One view of the workbench."""

    key: str
    title: str
    url: str
    is_current: bool


def tabs_of(state: ViewState, *, has_features: bool) -> tuple[Tab, ...]:
    """The views in their order; the search of specs only where there are any, or where it is looked at."""
    return tuple(
        Tab(key, title, state.query(view=key, page=1, open=""), key == state.view)
        for key, title in TAB_TITLES.items()
        if key != "features" or has_features or state.view == key
    )
