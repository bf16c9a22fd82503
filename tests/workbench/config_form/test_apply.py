from __future__ import annotations

import pytest

from budgeteer.workbench import services
from budgeteer.workbench.config_form.apply import apply_posted, form_fields
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.config_form.fields import shown_value
from budgeteer.workbench.models import Workspace

CHARS = "skillsBudget.limits.maxSkillsPromptChars"


@pytest.fixture
def workspace(owner) -> Workspace:
    return services.open_with_sources(owner, [])


def test_posting_the_form_as_it_was_shown_changes_nothing(workspace: Workspace) -> None:
    current = EditableConfig.of(workspace)
    posted = {field.path: shown_value(current.value(field.path)) for field in form_fields()}
    change = apply_posted(current, posted)
    assert change.config.delta == {}
    assert not change.errors


def test_a_number_may_be_typed_with_separators(workspace: Workspace) -> None:
    change = apply_posted(EditableConfig.of(workspace), {CHARS: " 12,500 "})
    assert change.config.delta == {"skillsBudget": {"limits": {"maxSkillsPromptChars": 12_500}}}


def test_a_token_limit_may_be_a_percent(workspace: Workspace) -> None:
    change = apply_posted(EditableConfig.of(workspace), {"history.maxTokens": "30 %"})
    assert change.config.delta == {"history": {"maxTokens": "30%"}}


def test_an_empty_field_is_null_where_null_means_something(workspace: Workspace) -> None:
    current = EditableConfig.of(workspace).with_delta({"contextWindow": 64_000})
    assert apply_posted(current, {"contextWindow": ""}).config.delta == {}


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        (CHARS, "abc", "abc"),
        (CHARS, "-1", "Enter a whole number from 0 to 1,000,000,000"),
        (CHARS, "1.5", "1.5"),
        (CHARS, "", "“”"),
        ("pruning.mode", "sometimes", "“auto”"),
        ("model", "gpt-4oo", "gpt-4o"),
        ("outputReserve", "128000", "leaves nothing"),
        ("skillsBudget.limits.maxSkilsInPrompt", "3", "Did you mean"),
        ("history.maxTokens", "130%", "130%"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_its_sentence(
    workspace: Workspace, path: str, text: str, says: str
) -> None:
    change = apply_posted(EditableConfig.of(workspace), {path: text})
    assert change.config.delta == {}
    assert says in change.errors[path].sentence


def test_one_bad_value_does_not_lose_the_others(workspace: Workspace) -> None:
    change = apply_posted(EditableConfig.of(workspace), {CHARS: "lots", "skillsBudget.limits.maxSkillsInPrompt": "7"})
    assert change.config.delta == {"skillsBudget": {"limits": {"maxSkillsInPrompt": 7}}}
    assert change.refused == {CHARS: "lots"}
