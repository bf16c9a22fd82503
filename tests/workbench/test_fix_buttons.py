"""Buttons of fixes: one exists only where applying it does what it says."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from budgeteer.engine.packing.ledger import Decision
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.apply import apply_posted
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.fix_buttons import apply_value, button_of, changes_of
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.inspector.panel import inspected
from budgeteer.workbench.panels.warnings.effects import trying_out, with_effects
from budgeteer.workbench.panels.warnings.notes import notes_of
from budgeteer.workbench.preview import Packed, preview
from budgeteer.workbench.state import ViewState
from tests.workbench.views.test_chunks_and_specs import CHUNKS, TALK, specs

type OpenOver = Callable[..., Workspace]

WORDS = "alpha beta gamma delta epsilon "


def packed_of(workspace: Workspace) -> Packed:
    packed = preview(workspace, EditableConfig.of(workspace)).packed
    assert packed is not None
    return packed


def offers(workspace: Workspace) -> dict[str, str]:
    """By decision id, the value of the button that the inspector of each item offers that is not kept."""
    packed = packed_of(workspace)
    try_out = trying_out(workspace, EditableConfig.of(workspace), packed)
    found = {}
    for one in packed.packing.ledger:
        if one.fate != "kept":
            item = inspected(packed, ViewState(sel=one.id), try_out=try_out)
            assert item is not None
            found[one.id] = item.fix
    return found


def decision(workspace: Workspace, key: str) -> Decision:
    return next(one for one in packed_of(workspace).packing.ledger if one.id == key)


def apply_button(workspace: Workspace, value: str) -> None:
    undo_steps.commit(workspace, apply_posted(EditableConfig.of(workspace), changes_of(value)).config.delta)


def commit_counted(workspace: Workspace, delta: dict[str, Any], run_jobs: Callable[[], None]) -> None:
    """Change the configuration, and have its model's tokenizer count the sources."""
    undo_steps.commit(workspace, delta)
    preview(workspace, EditableConfig.of(workspace))
    run_jobs()


@pytest.fixture
def chat(open_over: OpenOver, run_jobs: Callable[[], None]) -> Workspace:
    talk = [{"role": ("user", "assistant")[at % 2], "content": f"{at} {WORDS * 12}"} for at in range(12)]
    workspace = open_over(("talk.json", json.dumps({"messages": talk}).encode()))
    run_jobs()
    return workspace


def limited(window: int, max_tokens: int, **more: Any) -> dict[str, Any]:
    history = {"strategy": "newestFirst", "maxTokens": max_tokens}
    return {"model": "gpt-4o", "contextWindow": window, "outputReserve": 0, "history": history, **more}


def test_no_button_raises_one_of_two_limits_that_bind(chat: Workspace) -> None:
    undo_steps.commit(chat, limited(420, 300))
    both = {key for key in offers(chat) if len(decision(chat, key).reason.conditions) == 2}
    assert len(both) > 3
    assert all(value == "" for key, value in offers(chat).items() if key in both)


@pytest.mark.parametrize(("window", "max_tokens"), [(420, 300), (2_000, 300), (900, 400), (420, 2_000)])
@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5"])
def test_every_button_of_an_item_keeps_it(
    chat: Workspace, run_jobs: Callable[[], None], window: int, max_tokens: int, model: str
) -> None:
    commit_counted(chat, {**limited(window, max_tokens), "model": model}, run_jobs)
    offered = {key: value for key, value in offers(chat).items() if value}
    assert offered or window != 2_000
    for key, value in offered.items():
        apply_button(chat, value)
        assert decision(chat, key).fate == "kept"
        undo_steps.undo(chat)


def test_two_limits_that_are_settings_are_raised_by_one_button(library: Workspace) -> None:
    limits = {"maxSkillsInPrompt": 5, "maxSkillsPromptChars": 3_000}
    undo_steps.commit(library, {"skillsBudget": {"enabled": True, "fallback": "none", "limits": limits}})
    offered = {key: value for key, value in offers(library).items() if value}
    key = max(offered, key=lambda each: decision(library, each).reason.conditions[0].at_least)
    assert len(changes_of(offered[key])) == 2
    apply_button(library, offered[key])
    assert decision(library, key).fate in {"kept", "truncated"}


def test_more_matches_and_more_chunks_are_one_click(open_over: OpenOver, run_jobs: Callable[[], None]) -> None:
    delta = {"features": {"mode": "search", "topK": 1, "keywords": ["ferry", "tide"]}, "retrieval": {"searchTopK": 1}}
    workspace = open_over(("talk.json", TALK), ("specs.zip", specs()), ("found.csv", CHUNKS), delta=delta)
    run_jobs()
    by_rule = {decision(workspace, key).rule: (key, value) for key, value in offers(workspace).items() if value}
    for rule, path in (("features.topK", "features.topK"), ("retrieval.searchTopK", "retrieval.searchTopK")):
        key, value = by_rule[rule]
        assert list(changes_of(value)) == [path]
        apply_button(workspace, value)
        assert decision(workspace, key).fate == "kept"
        undo_steps.undo(workspace)


@pytest.mark.parametrize("window", [4_000, 30_000, 200_000])
def test_every_button_of_a_warning_leaves_out_less_or_sends_less(
    session: Workspace, run_jobs: Callable[[], None], window: int
) -> None:
    delta = {"model": "claude-sonnet-4-5", "contextWindow": window, "outputReserve": 500}
    commit_counted(session, delta, run_jobs)
    packed = packed_of(session)
    before = packed.packing
    notes = with_effects(notes_of(before), trying_out(session, EditableConfig.of(session), packed))
    offered = [note.apply for note in notes if note.apply]
    assert len(offered) == len(set(offered))
    for value in offered:
        apply_button(session, value)
        after = packed_of(session).packing
        undo_steps.undo(session)
        assert after.fits or not before.fits
        gone = [one.verdict.counts["dropped"] + one.verdict.counts["summarised"] for one in (before, after)]
        assert gone[1] < gone[0] or after.total.tokens < before.total.tokens


def test_a_button_of_two_settings_sets_both_by_its_form(client: Client, library: Workspace) -> None:
    limits = {"maxSkillsInPrompt": 5, "maxSkillsPromptChars": 3_000}
    optimised = {"minifyDescriptions": True, "compactPaths": True}
    budget = {"enabled": True, "fallback": "none", "limits": limits, "optimization": optimised}
    undo_steps.commit(library, {"skillsBudget": budget})
    page = client.get(library.get_absolute_url()).content.decode()
    value = html.unescape(next(iter(re.findall(r'name="apply" value="([^"]*maxSkillsInPrompt[^"]*)"', page))))
    client.post(f"{library.get_absolute_url()}config/", {"apply": value})
    library.refresh_from_db()
    rules = {one.rule for one in services.packing_of(library).ledger if one.fate == "dropped"}
    assert not rules & {"maxSkillsInPrompt", "maxSkillsPromptChars"}


def test_a_value_of_the_form_is_read_back_as_it_was_written() -> None:
    changes = {"features.keywords": "a&b, c=d + 50 %", "history.maxTokens": ""}
    assert changes_of(apply_value(changes)) == changes
    assert button_of({}).apply == ""
    assert button_of({"history.maxTokens": 608}).label == "Raise max history tokens to 608"
    assert button_of({"history.keepUserTurns": "3"}).label == "Set keep user turns to 3"
