"""Skills that their front matter keeps from the model, in a workspace."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from budgeteer.workbench import services
from budgeteer.workbench.models import Workspace
from tests.formats.shapes import skill, zipped

HIDDEN = "---\nname: deploy\ndescription: Ships it.\ndisable-model-invocation: true\n---\nShip.\n"
LIBRARY = zipped({"anchor/SKILL.md": skill("anchor", "Drops the anchor"), "deploy/SKILL.md": HIDDEN})

type Open = Callable[..., Workspace]


@pytest.mark.parametrize("enabled", [True, False])
def test_a_hidden_skill_is_stored_shown_and_not_sent(
    open_over: Open, run_jobs: Callable[[], None], client: Client, enabled: bool
) -> None:
    workspace = open_over(("lib.zip", LIBRARY), delta={"skillsBudget": {"enabled": enabled}})
    run_jobs()
    packing = services.packing_of(workspace)
    rows = {row.name: row for row in packing.ledger if row.section == "skills"}
    assert (rows["anchor"].fate, rows["deploy"].fate) == ("kept", "dropped")
    assert rows["deploy"].rule == "disable-model-invocation"
    assert rows["deploy"].before.tokens == rows["deploy"].after.tokens == 0
    html = client.get(workspace.get_absolute_url()).content.decode()
    assert "1 skill is not listed to the model, as its front matter has disable-model-invocation: deploy." in html
    assert "so harnesses do not list it to the model." in html
