from __future__ import annotations

import pytest

from budgeteer.engine.errors import ConfigError
from budgeteer.presets import services as presets
from budgeteer.workbench import services
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace


@pytest.fixture
def workspace(owner) -> Workspace:
    return services.open_with_sources(owner, [])


def test_a_changed_value_is_another_configuration_and_leaves_this_one(workspace: Workspace) -> None:
    current = EditableConfig.of(workspace)
    changed = current.with_value("history.maxTokens", 7)
    assert changed.config.history.max_tokens == changed.value("history.maxTokens") == 7
    assert changed.delta == {"history": {"maxTokens": 7}}
    assert changed.is_overridden("history.maxTokens")
    assert current == EditableConfig.of(workspace)
    assert changed.with_value("history.maxTokens", current.preset_value("history.maxTokens")) == current


def test_what_cannot_be_packed_with_is_refused(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="leaves nothing"):
        EditableConfig.of(workspace).with_value("outputReserve", 128_000)


def test_a_reset_takes_only_its_own_path_back(workspace: Workspace) -> None:
    path = "skillsBudget.limits.maxSkillsInPrompt"
    current = EditableConfig.of(workspace).with_values({path: 7, "model": "gpt-4"})
    assert current.without(path).delta == {"model": "gpt-4"}
    with pytest.raises(ConfigError):
        current.without("skillsBudget.nothing")


def test_a_pasted_configuration_is_kept_as_what_differs(workspace: Workspace) -> None:
    current = EditableConfig.of(workspace)
    assert current.with_delta(current.data).delta == {}
    assert current.with_delta({"history": {"strategy": "full"}}).delta == {"history": {"strategy": "full"}}
    with pytest.raises(ConfigError, match="Did you mean"):
        current.with_delta({"histroy": {}})


def test_a_workspace_that_takes_a_new_version_keeps_its_own_changes(owner) -> None:
    workspace = services.open_with_sources(owner, [], config_delta={"history": {"maxTokens": 5}})
    before = EditableConfig.of(workspace)
    config = {"skillsBudget": {"enabled": False}, "history": {"maxTokens": 9, "strategy": "full"}}
    presets.publish(before.version.preset, config=config, note="all off", author=None)
    assert EditableConfig.of(workspace) == before
    services.follow(workspace, before.version.preset.slug)
    after = EditableConfig.of(workspace)
    assert after.version.number == before.version.number + 1
    assert after.config.skills_budget.enabled is False
    assert after.config.history.max_tokens == 5
    assert after.is_overridden("history.maxTokens")
    assert not after.is_overridden("history.strategy")


def test_a_workspace_may_stay_on_a_version(owner) -> None:
    workspace = services.open_with_sources(owner, [])
    version = EditableConfig.of(workspace).version
    services.follow(workspace, version.preset.slug, number=version.number)
    presets.publish(version.preset, config={"model": "gpt-4"}, note="", author=None)
    assert EditableConfig.of(workspace).config.model == "gpt-4o"
