from __future__ import annotations

from budgeteer.presentation.labels import SETTINGS
from budgeteer.presentation.short_reasons import MOST_CHARS, short_reason
from budgeteer.workbench import services
from budgeteer.workbench.models import Workspace


def test_every_reason_of_the_samples_fits_in_one_line(session: Workspace, library: Workspace) -> None:
    for workspace in (session, library):
        went = [one for one in services.packing_of(workspace).ledger if one.fate != "kept"]
        assert went
        shown = {short_reason(one.rule, one.fate) for one in went}
        assert not [one for one in shown if len(one) > MOST_CHARS or one in SETTINGS]
