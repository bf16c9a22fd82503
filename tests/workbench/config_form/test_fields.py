from __future__ import annotations

import pytest

from budgeteer.cli.output.packing_summary import summary
from budgeteer.engine.config.size_limits import MOST, NO_LIMIT
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.history.registry import STRATEGIES, StrategyRow
from budgeteer.presentation.setting_values import setting_text
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.apply import apply_posted, form_fields
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.config_form.fields import form_field, form_groups
from budgeteer.workbench.config_form.figures import summaries_of
from budgeteer.workbench.config_form.model_menu import model_groups
from budgeteer.workbench.config_form.shown_groups import DrawnGroups
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.section_table import section_table
from budgeteer.workbench.preview import preview


@pytest.mark.parametrize("row", STRATEGIES.values(), ids=lambda row: row.name)
def test_the_form_puts_away_what_the_chosen_strategy_does_not_read(owner, row: StrategyRow) -> None:
    workspace = services.open_with_sources(owner, [])
    undo_steps.commit(workspace, {"history": {"strategy": row.name}})
    groups = form_groups(EditableConfig.of(workspace), summaries={}, ceilings={}, shown=DrawnGroups.every())
    shown = [field.path for group in groups for field in group.fields if not field.is_unused]
    of_strategies = {path for one in STRATEGIES.values() for path in one.settings}
    assert [path for path in shown if path in of_strategies] == [path for path in shown if path in row.settings]
    assert "history.strategy" in shown
    assert set(row.settings) <= set(shown)


def test_the_model_that_the_conversation_names_stands_first_and_once(session: Workspace) -> None:
    session.named_model = "claude-sonnet-4-5-20250929"
    found = model_groups(EditableConfig.of(session))
    assert [model.name for model in found[0].models] == ["claude-sonnet-4-5"]
    names = [model.name for group in found for model in group.models]
    assert sorted(names) == sorted(MODELS)
    assert [model.name for group in found for model in group.models if model.is_chosen] == ["claude-sonnet-4-5"]


@pytest.mark.parametrize(
    ("delta", "note"),
    [
        ({"contextWindow": 3_000}, "Capped at a quarter of the window: 750"),
        ({"contextWindow": 100_000}, "The default: 4,096"),
        ({"contextWindow": 3_000, "outputReserve": 500}, ""),
    ],
)
def test_an_empty_reserve_says_what_it_comes_to_as_the_packing_has_it(
    session: Workspace, delta: dict[str, int], note: str
) -> None:
    undo_steps.commit(session, {"model": "gpt-4o", **delta})
    current = EditableConfig.of(session)
    groups = form_groups(current, summaries={}, ceilings={}, shown=DrawnGroups.every())
    (field,) = [field for group in groups for field in group.fields if field.path == "outputReserve"]
    assert field.note == note
    assert field.slider is not None
    assert field.slider.value == services.packing_of(session).output_reserve


def test_the_figure_of_a_history_that_is_summarised_names_where_that_starts(session: Workspace) -> None:
    undo_steps.commit(session, {"history": {"strategy": "summarizeOlder", "maxChars": 10_000_000}})
    packing = services.packing_of(session)
    sent = sum(one.after.size.chars for one in packing.sections if one.name == "history")
    figure = summaries_of(EditableConfig.of(session), packing)["history"]
    assert figure == f"{sent:,} chars, summarised above 10,000,000"


def test_a_limit_that_limits_nothing_says_so_everywhere_and_is_typed_so(library: Workspace) -> None:
    path = "skillsBudget.limits.maxSkillsPromptChars"
    undo_steps.commit(library, {"skillsBudget": {"limits": {"maxSkillsPromptChars": MOST}}})
    current = EditableConfig.of(library)
    field = form_field(current, next(one for one in form_fields() if one.path == path))
    assert (field.value, field.unit) == (NO_LIMIT, "")
    assert not apply_posted(current, {path: field.value}).errors
    assert apply_posted(current, {path: field.value}).config.value(path) == MOST
    assert setting_text(path, MOST) == NO_LIMIT
    packed = preview(library, current).packed
    assert packed is not None
    (line,) = [line for line in section_table(packed.packing).lines if line.letter == "K"]
    assert line.limit == NO_LIMIT
    assert f"{MOST:,}" not in summary(packed.packing)
