from __future__ import annotations

from budgeteer.workbench import services, steps
from budgeteer.workbench.configuring import apply_posted, effective
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.notes import notes_of, split_apply


def test_the_gravest_warning_stands_first(session: Workspace) -> None:
    notes = notes_of(services.packing_of(session), effective(session))
    assert notes
    percents = [float(note.sentence.rsplit("(", 1)[1].split(" %")[0].replace(",", "")) for note in notes]
    assert percents == sorted(percents, reverse=True)


def test_every_fix_that_is_offered_can_be_applied(session: Workspace, library: Workspace) -> None:
    for workspace in (session, library):
        current = effective(workspace)
        for note in notes_of(services.packing_of(workspace), current):
            if note.apply:
                change = apply_posted(current, dict([split_apply(note.apply)]))
                assert not change.errors
                assert change.delta != current.delta


def test_raising_a_limit_by_its_fix_ends_its_warning(session: Workspace) -> None:
    current = effective(session)
    note = next(n for n in notes_of(services.packing_of(session), current) if n.apply.startswith("history.maxTokens="))
    steps.commit(session, apply_posted(current, dict([split_apply(note.apply)])).delta)
    titles = [n.title for n in notes_of(services.packing_of(session), effective(session))]
    assert "History tokens: limit exceeded." not in titles


def test_what_cannot_fit_is_said_before_every_warning(session: Workspace) -> None:
    steps.commit(session, {"contextWindow": 4_000, "outputReserve": 500})
    notes = notes_of(services.packing_of(session), effective(session))
    assert notes[0].title == "This cannot fit."
