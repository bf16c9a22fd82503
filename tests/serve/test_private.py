"""Local mode's files as they lie on the disk after a start: for their owner only, old ones too."""

from __future__ import annotations

import http.client
import os
import re
from pathlib import Path

import pytest

from tests.serve.running import get, serving
from tests.waiting import PATIENCE_SECONDS, wait_until

FORM = "application/x-www-form-urlencoded"


def open_to_others(folder: Path) -> list[str]:
    return [
        f"{path}: {path.lstat().st_mode:o}" for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077
    ]


def make_as_an_earlier_version_did(folder: Path) -> None:
    for inner in ("", "media", "media/uploads", "broker", "broker/queue", "broker/control"):
        (folder / inner).mkdir(exist_ok=True)
        (folder / inner).chmod(0o755)
    for name in ("media/uploads/one", "budgeteer.sqlite3.before-0.0.9", "migrated"):
        (folder / name).write_bytes(b"")
        (folder / name).chmod(0o644)


@pytest.mark.slow
def test_after_a_start_and_an_upload_nothing_is_open_to_other_accounts(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    make_as_an_earlier_version_did(folder)
    assert len(open_to_others(folder)) == 9
    umask = os.umask(0o022)
    try:
        with serving(folder, "--port", "0") as dashboard:
            port = dashboard.port
            entered = get(port, dashboard.find(r"Sign in here .*http://127\.0\.0\.1:\d+(/enter/\S+)"))
            cookie = "; ".join(given.split(";")[0] for given in entered.headers.get_all("Set-Cookie", []))
            page = get(port, "/sources/", cookie)
            token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.body.decode())
            csrf = next(given for given in page.headers.get_all("Set-Cookie", []) if "csrf" in given).split(";")[0]
            assert token
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            body = f"csrfmiddlewaretoken={token[1]}&text=User%3A+one%0AAssistant%3A+two%0A"
            headers = {"Cookie": f"{cookie}; {csrf}", "Content-Type": FORM}
            connection.request("POST", "/sources/upload/", body, headers)
            assert connection.getresponse().status == 302
            connection.close()
            wait_until(lambda: list(folder.glob("media/sources/*")), what="a worker to write what it read")
            assert open_to_others(folder) == []
    finally:
        os.umask(umask)


@pytest.mark.slow
def test_what_lies_beside_our_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "notes.txt").chmod(0o644)
    with serving(tmp_path, "--port", "0", "--no-worker") as dashboard:
        assert dashboard.port
    assert (tmp_path / "notes.txt").stat().st_mode & 0o777 == 0o644
