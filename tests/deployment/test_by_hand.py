"""The compose file's processes, started by hand, are a working Budgeteer."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deployment.by_hand import ByHand, running_by_hand
from tests.own_servers import own_database, own_redis_database
from tests.serve.running import descendants_of, get

# One parallel process for all of them: they share what was started, and the last one stops it.
pytestmark = [pytest.mark.xdist_group("by hand"), pytest.mark.slow]


@pytest.fixture(scope="module")
def byhand(postgres_url: str, redis_server: str) -> Iterator[ByHand]:
    with (
        own_database(postgres_url) as database,
        own_redis_database(redis_server) as broker,
        running_by_hand({"DATABASE_URL": database, "REDIS_URL": broker}) as started,
    ):
        yield started


def files_in(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def test_every_part_runs_is_well_and_is_ready(byhand: ByHand) -> None:
    counted = {name: len(byhand.of(name)) for name in byhand.deployment.ours}
    assert counted == {"migrate": 1, "web": 1, "worker": 2, "worker-small": 1, "scheduler": 1}
    ready = get(byhand.port, "/ready/")
    assert ready.status == 200
    assert set(json.loads(ready.body)["jobs"].values()) == {"ok"}


def test_no_process_is_roots_and_nothing_but_its_folders_is_written(byhand: ByHand) -> None:
    running = [part.process.pid for part in byhand.parts if part.process.poll() is None]
    everybody = [*running, *(child for parent in running for child in descendants_of(parent))]
    owners = {os.stat(f"/proc/{number}").st_uid for number in everybody}  # noqa: PTH116 - no path of ours
    assert owners == {byhand.account or os.getuid()}
    if byhand.account is not None:
        assert all(pwd.getpwuid(0).pw_uid != owner for owner in owners)
        mine = {path for path in files_in(byhand.folder) if path.stat().st_uid == byhand.account}
        allowed = ("data", "tmp", "secrets")
        assert [path for path in mine if path.relative_to(byhand.folder).parts[0] not in allowed] == []


def test_every_line_of_a_part_is_json(byhand: ByHand) -> None:
    for part in byhand.parts:
        for line in part.said.splitlines():
            assert isinstance(json.loads(line), dict), f"{part.log.stem}: {line}"


def test_everything_ends_well_when_it_is_told_to(byhand: ByHand) -> None:
    statuses = byhand.down()
    assert set(statuses.values()) == {0}, statuses
