from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from budgeteer.workbench.config_form import undo_steps as steps
from budgeteer.workbench.models import Workspace

migration = import_module("budgeteer.workbench.migrations.0004_edits")


@pytest.mark.django_db
def test_steps_of_before_are_taken_over(library: Workspace) -> None:
    library.undo_steps, library.redo_steps = [{}, {"outputReserve": 5}], [{"outputReserve": 7}]
    library.save()
    migration.widen(apps, None)
    library.refresh_from_db()
    assert steps.undo(library)
    assert library.config_delta == {"outputReserve": 5}
    assert steps.undo(library)
    assert library.config_delta == {}
    assert [steps.redo(library) for _ in range(4)] == [True, True, True, False]
    migration.narrow(apps, None)
    library.refresh_from_db()
    assert library.undo_steps[:2] == [{}, {"outputReserve": 5}]
