from __future__ import annotations

import re

from budgeteer.engine.packing.conditions import settings_of
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.apply import apply_posted
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.fix_buttons import changes_of
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.section_table import section_table
from budgeteer.workbench.panels.warnings.notes import notes_of


def test_the_gravest_warning_stands_first(session: Workspace) -> None:
    notes = notes_of(services.packing_of(session))
    assert notes
    percents = [float(re.search(r"([\d,.]+) %", note.title)[1].replace(",", "")) for note in notes]
    assert percents == sorted(percents, reverse=True)


def test_every_fix_that_is_offered_can_be_applied(session: Workspace, library: Workspace) -> None:
    for workspace in (session, library):
        current = EditableConfig.of(workspace)
        for note in notes_of(services.packing_of(workspace)):
            if note.apply:
                change = apply_posted(current, changes_of(note.apply))
                assert not change.errors
                assert change.config.delta != current.delta


def test_a_limit_that_was_raised_as_far_as_the_window_reaches_is_not_raised_again(session: Workspace) -> None:
    current = EditableConfig.of(session)
    note = next(n for n in notes_of(services.packing_of(session)) if n.apply.startswith("history.maxTokens="))
    undo_steps.commit(session, apply_posted(current, changes_of(note.apply)).config.delta)
    after = services.packing_of(session)
    again = next(n for n in notes_of(after) if n.title.startswith("History tokens: "))
    assert (again.apply, again.apply_label) == ("", "")
    assert not any(one.rule == "newestFirst" and settings_of(one.reason.conditions) for one in after.ledger)


def test_what_cannot_fit_is_said_before_every_warning(session: Workspace) -> None:
    undo_steps.commit(session, {"contextWindow": 4_000, "outputReserve": 500})
    notes = notes_of(services.packing_of(session))
    assert notes[0].title == "This does not fit."


def test_the_section_that_is_too_large_says_what_the_others_leave_it(session: Workspace) -> None:
    undo_steps.commit(session, {"contextWindow": 4_000, "outputReserve": 500})
    packing = services.packing_of(session)
    error = packing.error
    assert error is not None
    told = {line.name: line.limit for line in section_table(packing).lines}
    assert f"{error.allowed_tokens:,} tokens available" in told.pop(error.section)
    assert not any("available" in limit for limit in told.values())
