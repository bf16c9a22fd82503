"""What the doctor says of disks, the storage and the static files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

from budgeteer.operations import files, private_files


@pytest.mark.parametrize(("free", "state"), [(50e6, "failed"), (500e6, "warning"), (700e6, "ok")])
def test_little_room_is_a_warning_and_none_a_failure(
    monkeypatch: pytest.MonkeyPatch, settings: Any, free: float, state: str
) -> None:
    settings.UPLOAD_MAX_BYTES = 200_000_000
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=free))
    assert [finding.state for finding in files.disk()] == [state, state]


def test_a_folder_that_is_not_there_fails(settings: Any, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "gone")
    [_, received] = files.disk()
    assert (received.state, received.name) == ("failed", "disk for uploads")
    assert "gone cannot be looked at (No such file or directory)." in received.sentence


def test_a_data_folder_that_is_still_to_be_made_is_on_the_disk_of_its_parent(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "not" / "yet"
    [data, _] = files.disk()
    assert data.state == "ok"
    assert data.sentence.endswith(f" GB free in {tmp_path}.")


def test_a_probe_is_written_read_and_deleted(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    [finding] = files.storage()
    assert finding.state == "ok"
    assert list(tmp_path.iterdir()) == []


def test_a_storage_that_returns_something_else_fails(
    monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path

    def save(storage: FileSystemStorage, name: str, _content: File[bytes], max_length: int | None = None) -> str:
        (tmp_path / name).write_bytes(b"something else")
        return name

    monkeypatch.setattr(FileSystemStorage, "save", save)
    [finding] = files.storage()
    assert finding.state == "failed"
    assert "came back" in finding.sentence
    assert list(tmp_path.iterdir()) == []


def test_collected_static_files_need_their_manifest(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    [missing] = files.static()
    assert missing.state == "failed"
    (tmp_path / "staticfiles.json").write_text("{}")
    [present] = files.static()
    assert present.state == "ok"


def test_a_package_without_its_static_files_fails(settings: Any, tmp_path: Path) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    [finding] = files.static()
    assert (finding.state, finding.mend) == ("failed", "Install Budgeteer again")


def test_the_doctor_names_what_other_accounts_may_read_until_it_is_mended(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.BUDGETEER_MODE = tmp_path, "local"
    (tmp_path / "media").mkdir()
    upload = tmp_path / "media" / "one"
    upload.write_text("User: hello")
    for path, mode in ((upload, 0o644), (upload.parent, 0o755), (tmp_path, 0o755)):
        path.chmod(mode)
    [finding] = private_files.private()
    assert finding.state == "warning"
    assert str(upload) in finding.sentence
    private_files.keep_private()
    assert [finding.state for finding in private_files.private()] == ["ok"]
    assert [path.stat().st_mode & 0o777 for path in (upload, upload.parent, tmp_path)] == [0o600, 0o700, 0o700]
