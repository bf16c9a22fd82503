"""Two people who have one of everything, each with words of their own in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.test import override_settings

from tests.standing_rows import standing_rows

if TYPE_CHECKING:
    from pytest_django.plugin import DjangoDbBlocker

    from tests.personal_data.holdings import Holdings

    type Two = tuple[Holdings, Holdings]


@pytest.fixture(autouse=True)
def _settings(settings: object, tmp_path: Path) -> None:
    settings.BUDGETEER_MODE = "team"  # type: ignore[attr-defined]
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def standing_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the two have stored; a test works on a copy."""
    return tmp_path_factory.mktemp("files-of-two")


@pytest.fixture(scope="module")
def standing_two(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, standing_files: Path
) -> Iterator[Callable[[], Two]]:
    """Ada and Bob, made once for the tests of a module."""
    from tests.personal_data.holdings import make_two

    def make() -> Two:
        with override_settings(BUDGETEER_MODE="team", MEDIA_ROOT=str(standing_files)):
            return make_two()

    yield from standing_rows(make, django_db_blocker)


@pytest.fixture
def two(standing_two: Callable[[], Two], standing_files: Path, tmp_path: Path, db: None) -> Two:
    """Ada, who asks, and Bob, who copied from her."""
    shutil.copytree(standing_files, tmp_path, dirs_exist_ok=True)
    return standing_two()
