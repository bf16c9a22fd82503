"""A disk that is full, and one that nobody may write to: sentences meanwhile, and everything as it was afterwards."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.kills.material import conversation
from tests.kills.visiting import Visit
from tests.operations.small_disk import SmallDisk, dashboard_on_a_small_disk
from tests.waiting import wait_until

OURS = 500
"""The one status that says that nobody expected what happened."""

SMALL = (300, 400)
type Running = tuple[Visit, SmallDisk]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with dashboard_on_a_small_disk(tmp_path) as (stack, disk):
        visit = Visit(urlsplit(stack.address).port or 0, takes_errors=True)
        visit.get(urlsplit(stack.sign_in_link).path)
        yield visit, disk


def opened(visit: Visit, number: int) -> tuple[int, str]:
    """The answer to an upload: its status, and the workspace it leads to."""
    upload = conversation(random.Random(number), number)
    status, _, place = visit.upload("/open/", upload.name, upload.data, seconds=0)
    return status, place


def is_counted(visit: Visit, workspace: str) -> bool:
    """Whether the page has a verdict, so that the import has come to its end."""
    status, text, _ = visit.get(workspace)
    return status == 200 and 'id="verdict"' in text and "/jobs/" not in text.partition("</main>")[0]


def everything(visit: Visit, workspace: str) -> dict[str, int]:
    """Read and write in every way: the status of each."""
    answers: dict[str, int] = {}
    for path in ("/", "/w/", "/sources/", "/help/", workspace, f"{workspace}?view=prompt", f"{workspace}export/text/"):
        answers[f"GET {path}"] = visit.get(path)[0]
    posts = {
        "/w/new/": {},
        f"{workspace}rename/": {"name": "Renamed"},
        f"{workspace}config/": {"config.outputReserve": "2222"},
        f"{workspace}texts/": {"query": "How deep is it?"},
        f"{workspace}publish/": {"title": "Harbour", "content": "full", "days": "7", "form_key": str(uuid.uuid4())},
        "/sources/upload/": {"text": "User: How deep?\nAssistant: 12 m."},
    }
    for path, fields in posts.items():
        answers[f"POST {path}"] = visit.post(path, fields)[0]
    for number in (7, 8):
        answers[f"upload {number}"] = opened(visit, number)[0]
    answers["health"] = visit.get("/health/")[0]
    return answers


def breaks(disk: SmallDisk, how: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """How the disk is broken, and how it is mended."""
    return (disk.fill, disk.make_room) if how == "full" else (disk.make_read_only, disk.make_writable)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["full", "read-only"])
def test_a_disk_that_takes_nothing_is_told_and_loses_nothing(running: Running, how: str) -> None:
    visit, disk = running
    status, workspace = opened(visit, 1)
    assert (status, workspace[:3]) == (302, "/w/")
    wait_until(lambda: is_counted(visit, workspace), what="the first import")
    before = visit.get(f"{workspace}export/text/")[1]
    do, undo = breaks(disk, how)
    do()
    answers = everything(visit, workspace)
    assert OURS not in answers.values(), answers
    # A page with the reason where the database is elsewhere, else there is no room for the session either.
    assert {answers[what] for what in ("POST /sources/upload/", "upload 7", "upload 8")} <= {422, 503, 507}, str(
        answers
    )
    assert answers["health"] == answers["GET /help/"] == answers[f"GET {workspace}"] == 200, answers
    undo()
    wait_until(lambda: visit.get("/ready/")[0] == 200, what="readiness afterwards")
    wait_until(lambda: opened(visit, 2)[0] == 302, what="an upload afterwards")
    _, later = opened(visit, 3)
    wait_until(lambda: is_counted(visit, later), what="an import afterwards")
    visit.post(f"{workspace}config/", {"reset": "outputReserve"})
    visit.post(f"{workspace}texts/", {"query": ""})
    assert visit.get(f"{workspace}export/text/")[1] == before
