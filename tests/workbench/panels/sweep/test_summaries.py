from __future__ import annotations

from django.utils import timezone

from budgeteer.engine.packing.history.summary import extractive_summary
from budgeteer.workbench import services
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Summary, Workspace
from budgeteer.workbench.panels.sweep.study import sweep_study
from budgeteer.workbench.preview import preview
from budgeteer.workbench.summary_store import stored_or_extracted

#: One packing for each length of the summary would be thousands.
MOST_PACKINGS = 500


def test_a_budget_is_swept_in_few_packings_where_older_messages_become_an_extract(
    session: Workspace, client, run_jobs
) -> None:
    services.follow(session, "codex")
    client.get(session.get_absolute_url())
    run_jobs()
    session.refresh_from_db()
    packed = preview(session, EditableConfig.of(session)).packed
    assert packed is not None
    assert Summary.objects.exists()
    packings = 0

    def watch(_done: int, _total: int) -> None:
        nonlocal packings
        packings += 1
        assert packings <= MOST_PACKINGS

    found = sweep_study(session, packed, "inputBudget").find(watch)
    assert len(found.steps) > 2


def test_what_somebody_or_a_model_wrote_is_used_in_place_of_an_extract(owner) -> None:
    assert stored_or_extracted(owner.pk) is extractive_summary
    row = Summary.objects.create(owner=owner, key="k", text="Extracted.")
    assert stored_or_extracted(owner.pk) is extractive_summary
    row.edited_at = timezone.now()
    row.save()
    assert stored_or_extracted(owner.pk) is not extractive_summary
    Summary.objects.all().delete()
    Summary.objects.create(owner=owner, key="m", text="Written.", writer="a model")
    assert stored_or_extracted(owner.pk) is not extractive_summary
