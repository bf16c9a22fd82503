from __future__ import annotations

import pytest

from budgeteer.engine.errors import ConfigError
from budgeteer.presets import services as presets
from budgeteer.workbench import services
from budgeteer.workbench.config_form.apply import apply_posted, delta_of, effective, form_fields, without
from budgeteer.workbench.config_form.fields import shown_value
from budgeteer.workbench.models import Workspace

CHARS = "skillsBudget.limits.maxSkillsPromptChars"


@pytest.fixture
def workspace(owner) -> Workspace:
    return services.open_with_sources(owner, [])


def test_posting_the_form_as_it_was_shown_changes_nothing(workspace: Workspace) -> None:
    from budgeteer.engine.config.overlay import get_path

    current = effective(workspace)
    posted = {field.path: shown_value(get_path(current.data, field.path)) for field in form_fields()}
    change = apply_posted(current, posted)
    assert change.delta == {}
    assert not change.errors


def test_a_number_may_be_typed_with_separators(workspace: Workspace) -> None:
    change = apply_posted(effective(workspace), {CHARS: " 12,500 "})
    assert change.delta == {"skillsBudget": {"limits": {"maxSkillsPromptChars": 12_500}}}


def test_a_token_limit_may_be_a_percent(workspace: Workspace) -> None:
    change = apply_posted(effective(workspace), {"history.maxTokens": "30 %"})
    assert change.delta == {"history": {"maxTokens": "30%"}}


def test_an_empty_field_is_null_where_null_means_something(workspace: Workspace) -> None:
    current = effective(workspace, {"contextWindow": 64_000})
    assert apply_posted(current, {"contextWindow": ""}).delta == {}


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        (CHARS, "abc", "abc"),
        (CHARS, "-1", "greater than or equal to 0"),
        (CHARS, "1.5", "1.5"),
        (CHARS, "", "''"),
        ("pruning.mode", "sometimes", "'auto'"),
        ("model", "gpt-4oo", "gpt-4o"),
        ("outputReserve", "128000", "leaves nothing"),
        ("skillsBudget.limits.maxSkilsInPrompt", "3", "Did you mean"),
        ("history.maxTokens", "130%", "130%"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_its_sentence(
    workspace: Workspace, path: str, text: str, says: str
) -> None:
    change = apply_posted(effective(workspace), {path: text})
    assert change.delta == {}
    assert says in change.errors[path].sentence


def test_one_bad_value_does_not_lose_the_others(workspace: Workspace) -> None:
    change = apply_posted(effective(workspace), {CHARS: "lots", "skillsBudget.limits.maxSkillsInPrompt": "7"})
    assert change.delta == {"skillsBudget": {"limits": {"maxSkillsInPrompt": 7}}}
    assert change.refused == {CHARS: "lots"}


def test_a_reset_takes_only_its_own_path_back(workspace: Workspace) -> None:
    current = effective(workspace, {"skillsBudget": {"limits": {"maxSkillsInPrompt": 7}}, "model": "gpt-4"})
    assert without(current, "skillsBudget.limits.maxSkillsInPrompt") == {"model": "gpt-4"}
    with pytest.raises(ConfigError):
        without(current, "skillsBudget.nothing")


def test_a_pasted_configuration_is_kept_as_what_differs(workspace: Workspace) -> None:
    current = effective(workspace)
    assert delta_of(current, dict(current.data)) == {}
    assert delta_of(current, {"history": {"strategy": "full"}}) == {"history": {"strategy": "full"}}
    with pytest.raises(ConfigError, match="Did you mean"):
        delta_of(current, {"histroy": {}})


def test_a_workspace_that_takes_a_new_version_keeps_its_own_changes(owner) -> None:
    workspace = services.open_with_sources(owner, [], config_delta={"history": {"maxTokens": 5}})
    before = effective(workspace)
    config = {"skillsBudget": {"enabled": False}, "history": {"maxTokens": 9, "strategy": "full"}}
    presets.publish(before.version.preset, config=config, note="all off", author=None)
    assert effective(workspace) == before
    services.follow(workspace, before.version.preset.slug)
    after = effective(workspace)
    assert after.version.number == before.version.number + 1
    assert after.config.skills_budget.enabled is False
    assert after.config.history.max_tokens == 5
    assert after.is_overridden("history.maxTokens")
    assert not after.is_overridden("history.strategy")


def test_a_workspace_may_stay_on_a_version(owner) -> None:
    workspace = services.open_with_sources(owner, [])
    version = effective(workspace).version
    services.follow(workspace, version.preset.slug, number=version.number)
    presets.publish(version.preset, config={"model": "gpt-4"}, note="", author=None)
    assert effective(workspace).config.model == "gpt-4o"
