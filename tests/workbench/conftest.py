from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

# Django is imported inside the fixtures: this file is read before its apps are loaded.
if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from budgeteer.workbench.models import Workspace


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    from budgeteer.sources.loading import forget_loaded
    from budgeteer.workbench.panels.prompt.parts import forget_prompts
    from budgeteer.workbench.preview import forget_previews

    forget_loaded()
    forget_previews()
    forget_prompts()
    yield
    forget_loaded()
    forget_previews()
    forget_prompts()


@pytest.fixture(autouse=True)
def _steps_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests change one setting several times within a second; people's changes are joined then."""
    from budgeteer.workbench.config_form import undo_steps

    monkeypatch.setattr(undo_steps, "JOIN_SECONDS", -1.0)


@pytest.fixture
def owner(db: Any) -> User:
    from tests.people import editor

    return editor("ada")


@pytest.fixture
def other(db: Any) -> User:
    from tests.people import editor

    return editor("bob")


@pytest.fixture
def client(owner: User) -> Client:
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.force_login(owner)
    return client


@pytest.fixture
def run_jobs() -> Callable[[], None]:
    from budgeteer.jobs.execution import execute
    from budgeteer.jobs.models import Job

    def run() -> None:
        for job in Job.objects.filter(state="queued"):
            execute(job.id, job.attempt)

    return run


@pytest.fixture
def open_over(owner: User) -> Callable[..., Workspace]:
    from django.core.files.base import File

    from budgeteer.sources import services as sources
    from budgeteer.workbench import services

    def open_over(*files: tuple[str, bytes], preset: str = "", delta: dict[str, Any] | None = None) -> Workspace:
        taken = [sources.receive_upload(owner, name=name, content=File(io.BytesIO(data), name)) for name, data in files]
        return services.open_with_sources(owner, taken, preset_slug=preset, config_delta=delta)

    return open_over


@pytest.fixture
def importing(open_over: Callable[..., Workspace]) -> Workspace:
    from budgeteer import samples
    from budgeteer.workbench import services

    workspace = open_over(*samples.read("agent-session"), preset="agent-default")
    services.keep_preset_model(workspace)  # as a sample is opened
    return workspace


@pytest.fixture
def session(importing: Workspace, run_jobs: Callable[[], None]) -> Workspace:
    run_jobs()
    return importing


@pytest.fixture
def library(open_over: Callable[..., Workspace], run_jobs: Callable[[], None]) -> Workspace:
    from budgeteer import samples

    workspace = open_over(*samples.read("skills-library"), preset="skills-library")
    run_jobs()
    return workspace
