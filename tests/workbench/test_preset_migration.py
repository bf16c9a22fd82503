from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from budgeteer.presets import services as presets
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace

migration = import_module("budgeteer.workbench.migrations.0005_version_chosen")


@pytest.mark.django_db
def test_a_workspace_that_followed_the_newest_version_stays_on_the_one_it_shows(library: Workspace) -> None:
    first = presets.current(library.preset_slug)
    presets.publish(first.preset, config={"model": "gpt-4"}, note="", author=None)
    stays = Workspace.objects.create(
        owner=library.owner, name="stays", preset_slug=library.preset_slug, preset_number=1
    )
    gone = Workspace.objects.create(owner=library.owner, name="gone", preset_slug="no-such-preset")
    Workspace.objects.filter(pk=library.pk).update(preset_number=None)
    migration.pin(apps, None)
    for workspace in (library, stays, gone):
        workspace.refresh_from_db()
    assert (library.preset_number, stays.preset_number, gone.preset_number) == (2, 1, None)
    presets.publish(first.preset, config={"model": "o1"}, note="", author=None)
    assert EditableConfig.of(library).config.model == "gpt-4"
    assert EditableConfig.of(gone).version == presets.default()
