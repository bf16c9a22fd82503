"""The views of the workbench as tabs."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.workbench.state import PanelName, ViewState

TAB_TITLES = {
    PanelName.MAP: "Map",
    PanelName.MESSAGES: "Messages",
    PanelName.PROMPT: "Prompt",
    PanelName.TIMELINE: "Timeline",
    PanelName.SWEEP: "Sweep",
    PanelName.FEATURES: "Features",
    PanelName.CONFIG: "Config",
}


@dataclass(frozen=True, slots=True)
class Tab:
    """One view of the workbench."""

    key: PanelName
    title: str
    url: str
    is_current: bool


def tabs_of(state: ViewState, *, has_features: bool) -> tuple[Tab, ...]:
    """The views in their order; the search of specs only where there are any, or where it is looked at."""
    return tuple(
        Tab(key, title, state.query(view=key, page=1, open=""), key is state.view)
        for key, title in TAB_TITLES.items()
        if key is not PanelName.FEATURES or has_features or state.view is key
    )
