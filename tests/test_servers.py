"""The servers that other tests lean on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import servers
from tests.serve.running import alive, answers, descendants_of
from tests.waiting import wait_until

ROOT = Path(__file__).parent.parent


def test_postgres_answers_a_query(postgres_url):
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("select 6 * 7").fetchone() == (42,)


def test_redis_starts_empty_for_every_test(redis_url):
    from redis import Redis

    with Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("left", "behind")


def test_redis_forgets_what_the_test_before_left_behind(redis_url):
    from redis import Redis

    with Redis.from_url(redis_url) as client:
        assert client.get("left") is None


def test_a_server_that_is_already_there_is_used_and_left_alone():
    with servers.postgres({"DATABASE_URL": "postgresql://me@db.example/work"}) as url:
        assert url == "postgresql://me@db.example/work"
    with servers.redis({"REDIS_URL": "redis://cache.example/3"}) as url:
        assert url == "redis://cache.example/3"


def test_a_missing_server_is_an_error_that_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(servers.shutil, "which", lambda name: None)
    with pytest.raises(servers.ServerMissing, match="make deps"), servers.redis({}):
        pass


def test_a_command_run_with_servers_sees_their_addresses_and_its_status_is_passed_on():
    script = "import os, sys; print(os.environ['DATABASE_URL'], os.environ['REDIS_URL']); sys.exit(7)"
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/with_servers.py", sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}},
    )
    assert done.returncode == 7, done.stderr
    assert "postgresql://" in done.stdout
    assert "redis://" in done.stdout


HOLD_A_DASHBOARD = """
import sys, time, pathlib
from tests.browser.stack import running_stack
with running_stack(pathlib.Path(sys.argv[1])) as running:
    print(running.address, flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_a_dashboard_that_tests_started_does_not_outlive_tests_that_were_killed(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_A_DASHBOARD, tmp_path / "data"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=servers.die_with_parent,  # noqa: PLW1509 - it makes one system call
    )
    assert holder.stdout
    port = int(holder.stdout.readline().rpartition(":")[2])
    processes = descendants_of(holder.pid)
    assert len(processes) >= 3
    assert answers(port)
    holder.kill()
    holder.communicate()
    wait_until(lambda: not alive(processes), what="the dashboard to end")
    assert not answers(port)


@pytest.mark.browser
def test_chromium_shows_a_page(browser_page):
    browser_page.set_content("<title>Hello</title><p>Ready")
    assert browser_page.title() == "Hello"
