"""The judge of evaluations and calibrations is content with a calm run, and sees what was changed in one."""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import User

from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.row_search import forget_segments
from budgeteer.jobs.models import Job
from budgeteer.workbench import calibrating, services
from tests.collections.material import collected, drain, evaluated
from tests.kills.material import recorded, sessions
from tests.kills.people import Opened
from tests.kills.studying import look_at_calibrations, look_at_evaluations
from tests.kills.verdict import Verdict
from tests.people import editor
from tests.sources.material import upload

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def owner() -> User:
    return editor("ada")


def test_an_evaluation(owner: User) -> None:
    forget_segments()
    file = sessions(random.Random(1), 1)
    run = evaluated(collected(owner, {file.name: file.data}), "full", "newest", replays_sessions=True)
    calm, lost = Verdict(), Verdict()
    look_at_evaluations(calm, [run.get_absolute_url()])
    assert calm.is_clean, calm
    assert calm.checked["evaluations"] == 1
    look_at_evaluations(lost, ["/evaluations/none/"])
    assert lost.lost == ["evaluation /evaluations/none/"]
    record = run.record
    assert record is not None
    record["totals"][0]["messages"] += 1
    EvaluationRun.objects.update(record=record, conversations=run.conversations + 1)
    spoilt = Verdict()
    look_at_evaluations(spoilt, [])
    assert (len(spoilt.wrong_totals), len(spoilt.lost)) == (1, 1)


def test_a_calibration(owner: User) -> None:
    file = recorded(random.Random(1), 1)
    source = upload(owner, file.data, name=file.name)
    workspace = services.open_with_sources(owner, [source])
    drain()
    opened = Opened(file, workspace.get_absolute_url())
    missing, calm, spoilt = Verdict(), Verdict(), Verdict()
    look_at_calibrations(missing, [opened])
    assert missing.lost == [f"calibration with {file.name}"]
    job = calibrating.start(workspace, [str(source.pk)])
    assert job is not None
    drain()
    look_at_calibrations(calm, [opened])
    assert calm.is_clean, calm
    job.refresh_from_db()
    assert job.result is not None
    job.result["sources"] = "2 sources"
    Job.objects.filter(pk=job.pk).update(result=job.result)
    look_at_calibrations(spoilt, [opened])
    assert len(spoilt.wrong_totals) == 1
