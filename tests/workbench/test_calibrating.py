"""A workspace calibrates its counts with the requests that sources recorded, and takes it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.test import Client

from budgeteer.jobs.models import Job, JobState
from budgeteer.workbench import calibrating, services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from tests.formats.shapes import recorded_session

FILES = (("one.jsonl", recorded_session(30).data), ("two.jsonl", recorded_session(24).data))


def calibrate(client: Client, workspace: Workspace, **fields: Any) -> Any:
    return client.post(f"{workspace.get_absolute_url()}calibrate/", fields)


def config_page(client: Client, workspace: Workspace) -> str:
    return client.get(f"{workspace.get_absolute_url()}?view=config").content.decode()


def test_counts_are_calibrated_with_several_sources_and_taken_back(
    client: Client, open_over: Callable[..., Workspace], run_jobs: Callable[[], None]
) -> None:
    workspace = open_over(*FILES)
    run_jobs()
    assert "Counts for this model are not calibrated" in config_page(client, workspace)
    offers = calibrating.calibration_view(workspace, EditableConfig.of(workspace)).offers
    assert [(offer.name, offer.chosen) for offer in offers] == [("two.jsonl", True), ("one.jsonl", True)]
    started = calibrate(client, workspace, source=[offer.id for offer in offers])
    assert "/jobs/" in started.url
    run_jobs()
    html = config_page(client, workspace)
    assert "Measured on 2 sources with recorded requests" in html
    assert "what was recorded of 52 of 54 requests" in html
    assert calibrate(client, workspace, act="use").status_code == 303
    html = config_page(client, workspace)
    run_jobs()  # counts its sources anew
    assert "Counts for this model are calibrated" in html
    assert "Count by this calibration" not in html
    packing = services.packing_of(Workspace.objects.get(pk=workspace.pk))
    assert (packing.allowance.kind, packing.tokenizer) == ("calibrated", "claude-v3")
    assert packing.allowance.calibration is not None
    assert packing.allowance.calibration.requests == 52
    assert undo_steps.undo(Workspace.objects.get(pk=workspace.pk))
    assert "not calibrated" in config_page(client, workspace)
    calibrate(client, workspace, act="use")
    calibrate(client, workspace, act="stop")
    assert "not calibrated" in config_page(client, workspace)


def test_sources_of_others_and_none_at_all_start_nothing(
    client: Client, other: Any, open_over: Callable[..., Workspace], run_jobs: Callable[[], None]
) -> None:
    workspace = open_over(FILES[0])
    run_jobs()
    before = Job.objects.count()
    link = workspace.links.get()
    link.source.owner = other
    link.source.save()
    for chosen in ([], ["no-such"], [str(link.source_id)]):
        assert calibrate(client, workspace, source=chosen).status_code == 303
    assert Job.objects.count() == before


def test_a_source_that_records_nothing_gives_nothing_to_count_by(
    client: Client, open_over: Callable[..., Workspace], run_jobs: Callable[[], None]
) -> None:
    workspace = open_over(("talk.txt", b"User: How deep is the harbour?\nAssistant: Nine metres.\n"))
    run_jobs()
    offers = calibrating.calibration_view(workspace, EditableConfig.of(workspace)).offers
    calibrate(client, workspace, source=[offer.id for offer in offers])
    run_jobs()
    assert Job.objects.get(kind="workbench.calibrate").state == JobState.SUCCEEDED
    assert "nothing to calibrate by" in config_page(client, workspace)
    assert calibrate(client, workspace, act="use").status_code == 303
    assert EditableConfig.of(workspace).value("calibrations") == []
