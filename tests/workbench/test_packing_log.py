"""What a preview logs of its packing."""

from __future__ import annotations

import json

from structlog.testing import capture_logs

from budgeteer.workbench import preview as module
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.preview import preview


def test_each_packing_is_logged_once_with_figures_and_no_text(session, monkeypatch) -> None:
    undo_steps.commit(session, {"history": {"strategy": "newestFirst", "maxTokens": 2000}})
    with capture_logs() as lines:
        monkeypatch.setattr(module, "log", module.structlog.get_logger("budgeteer.packing"))
        packed = preview(session, EditableConfig.of(session)).packed
        preview(session, EditableConfig.of(session))
    assert packed is not None
    mine = [line for line in lines if line.get("workspace_id") == str(session.pk)]
    assert [line["event"] for line in mine].count("packed") == 1
    (line,) = [line for line in mine if line["event"] == "packed"]
    assert line["verdict"] == packed.packing.verdict.level
    assert "level" not in line  # a logger writes its own level there
    assert "truncated" in [line["event"] for line in mine]
    said = json.dumps(mine)
    texts = [decision.name for decision in packed.packing.ledger if len(decision.name) > 12]
    assert texts
    assert not [text for text in texts if text in said]
