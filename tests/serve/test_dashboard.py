"""`budgeteer serve` as a person meets it: an address, a link, Ctrl+C, and nothing left running."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.serve.running import ROOT, alive, answers, children_of, get, serving
from tests.servers import free_port
from tests.waiting import PATIENCE_SECONDS, wait_until


def refused(folder: Path, *options: str) -> str:
    with serving(folder, *options) as dashboard:
        assert dashboard.process.wait(timeout=PATIENCE_SECONDS) == 2
        wait_until(lambda: dashboard.said, what="a sentence")
        assert "Traceback" not in dashboard.said
        return dashboard.said


def test_it_answers_signs_in_by_its_link_and_stops_everything_on_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as dashboard:
        port = dashboard.port
        assert get(port, "/health/").body == b'{"status": "ok"}'
        assert get(port, "/").status == 302
        path = dashboard.find(r"Sign in here .*http://127\.0\.0\.1:\d+(/enter/\S+)")
        entered = get(port, path)
        assert entered.status == 302
        cookie = "; ".join(given.split(";")[0] for given in entered.headers.get_all("Set-Cookie", []))
        assert get(port, "/sign-in/", cookie).headers["Location"] == "/"
        assert get(port, path).status == 410

        processes = dashboard.wait_for_children(4)
        dashboard.process.send_signal(signal.SIGINT)
        assert dashboard.process.wait(timeout=PATIENCE_SECONDS) == 0
        assert alive(processes) == []
    assert "Traceback" not in dashboard.said
    assert "Stopped." in dashboard.said


@pytest.mark.slow
def test_the_second_start_finds_its_database_prepared_and_loads_no_app_to_see_it(tmp_path: Path) -> None:
    variables = {"DATABASE_URL": f"sqlite:///{tmp_path}/dashboard.sqlite3"}
    said = []
    for _start in range(2):
        with serving(tmp_path, "--port", "0", "--no-worker", **variables) as dashboard:
            dashboard.find(r"(Sign in here)")
            said.append(dashboard.said)
    assert ["Preparing the database" in one for one in said] == [True, False]
    looking = "import sys; from budgeteer.serve import database; print(database.was_left_current(), *sys.modules)"
    variables |= {"BUDGETEER_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "budgeteer.settings"}
    found = subprocess.run(
        [sys.executable, "-c", looking],
        env=os.environ | variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    current, *loaded = found.stdout.split()
    assert current == "True"
    assert [name for name in loaded if name.startswith("budgeteer.") and name.endswith(".models")] == []


@pytest.mark.slow
def test_nothing_outlives_a_dashboard_that_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as dashboard:
        assert dashboard.port
        processes = dashboard.wait_for_children(4)
        dashboard.process.kill()
        wait_until(lambda: not alive(processes), what="every child to stop")


@pytest.mark.slow
def test_a_child_that_dies_is_started_again(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", "--no-worker") as dashboard:
        port = dashboard.port
        [web] = children_of(dashboard.process.pid)
        os.kill(web, signal.SIGKILL)
        assert dashboard.find(r"(The web server stopped by itself \(status -9\))")
        wait_until(lambda: answers(port), what="the web server to answer again")


@pytest.mark.slow
def test_without_worker_there_is_only_the_web_server(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", "--no-worker") as dashboard:
        assert dashboard.port
        time.sleep(1.0)
        assert len(children_of(dashboard.process.pid)) == 1


def test_a_port_in_use_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port()))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused(tmp_path, "--port", str(port))
    assert f"--port: Port {port} of 127.0.0.1 is already in use. Stop what uses it, or choose another one" in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_local_mode_listens_on_the_loopback_only(tmp_path: Path, host: str) -> None:
    said = refused(tmp_path, "--host", host)
    assert f"--host: {host} is not a loopback address, and local mode serves this computer only" in said
    assert "BUDGETEER_MODE=team" in said


@pytest.mark.slow
def test_a_database_that_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    with serving(tmp_path, DATABASE_URL="postgresql://nobody@127.0.0.1:1/none") as dashboard:
        assert dashboard.process.wait(timeout=PATIENCE_SECONDS) == 2
        wait_until(lambda: dashboard.said, what="a sentence")
    assert "DATABASE_URL: The database cannot be opened" in dashboard.said
    assert "Traceback" not in dashboard.said
