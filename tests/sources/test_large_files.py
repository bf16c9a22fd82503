"""Files far larger than what an import may hold in memory, each imported in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.sources.large_files import write_session

ROOT = Path(__file__).resolve().parents[2]

# What a process of each kind takes when it imports next to nothing, in MB: numpy; with Django and a vocabulary.
IDLE = {"cli": 60, "worker": 170}


def run_import(path: Path, how: str, data: Path) -> dict[str, Any]:
    """What tests.sources.large_files prints of an import in a fresh data folder."""
    here = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    settings = {
        "BUDGETEER_DATA_DIR": str(data),
        "BUDGETEER_UPLOAD_MAX_MB": "600",
        "DJANGO_SETTINGS_MODULE": "budgeteer.settings",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.sources.large_files", str(path), how],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**here, **settings},
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


#: The longest time without word of progress, in seconds of CPU: the worker is silent for one while it stores.
SILENCE_SECONDS = {"cli": 1, "worker": 2}


@pytest.mark.parametrize("how", ["cli", "worker"])
def test_thirty_megabytes_take_less_memory_than_the_file(how: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    messages = write_session(path, megabytes=30)
    found = run_import(path, how, tmp_path / "data")
    assert found["counts"]["messages"] == messages
    assert found["peak"] < IDLE[how] + 60


@pytest.mark.slow
def test_half_a_gigabyte_is_imported_under_600_mb_with_word_of_progress(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    messages = write_session(path, megabytes=500)
    for how in ("cli", "worker"):
        found = run_import(path, how, tmp_path / "data")
        assert found["counts"]["messages"] == messages
        assert found["peak"] < 600
        assert found["silence"] < SILENCE_SECONDS[how]
    path.unlink()  # kept folders of tests are not to fill the disk
