"""One limit, one number: what the warning recommends first, the sweep does too, and the plan's step names it."""

from __future__ import annotations

import pytest

from budgeteer.engine.analysis.fit_plan.steps import StepName
from budgeteer.workbench import deferred_results
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.fit.panel import fit_shown
from budgeteer.workbench.panels.request import PanelRequest
from budgeteer.workbench.panels.sweep.panel import sweep_shown
from budgeteer.workbench.panels.warnings.effects import value_below_warning
from budgeteer.workbench.preview import preview
from budgeteer.workbench.state import PanelName, ViewState


def test_the_sweep_recommends_what_the_warning_does(session: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deferred_results, "PATIENCE_SECONDS", 60.0)
    packed = preview(session, EditableConfig.of(session)).packed
    assert packed is not None
    state = ViewState(view=PanelName.SWEEP, over="history.maxTokens")
    shown = sweep_shown(session, packed, state)
    assert shown.view is not None
    assert value_below_warning(session, packed) == {"history.maxTokens": shown.view.advised_at}
    below = f"{shown.view.advised_at:,.0f}"
    request = PanelRequest(session, ViewState(view=PanelName.FIT), EditableConfig.of(session), packed)
    plan = fit_shown(packed, request).plan
    assert plan is not None
    (raising,) = [step for step in plan.steps if step.name == StepName.RAISE_LIMITS]
    assert f"recommend {below}" in raising.note
