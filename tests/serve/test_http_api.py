"""The API as it is served to a team: how large a body may be by token, and the commands that use it."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from budgeteer.tokens.scopes import Scope
from tests import people
from tests.http_api.callers import do_jobs, token_of
from tests.jobs import workers
from tests.serve.running import PROGRAM, ROOT, answers
from tests.servers import die_with_parent, free_port
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "a key of these tests only, long enough for nobody to guess it: 0123456789"
LINES = [
    json.dumps({"messages": [{"role": "user", "content": f"How deep is berth {number}?"}]}) + "\n"
    for number in range(9)
]


@pytest.fixture(scope="module")
def port(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    found = free_port()
    variables = {
        "BUDGETEER_MODE": "team",
        "SECRET_KEY": KEY,
        "ALLOWED_HOSTS": "127.0.0.1",
        "BUDGETEER_HTTPS": "no",
        "BUDGETEER_DATA_DIR": os.environ["BUDGETEER_DATA_DIR"],
    }
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "--only", "web", "--port", str(found)],
        env=os.environ | workers.same_servers() | variables,
        cwd=ROOT,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call
    )
    wait_until(lambda: answers(found) or process.poll() is not None, what="the web part to answer")
    yield found
    process.terminate()
    process.wait(timeout=PATIENCE_SECONDS)


def ask(port: int, path: str, body: bytes, *, kind: str, token: str = "") -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        headers = {"Content-Type": kind, **({"Authorization": f"Bearer {token}"} if token else {})}
        connection.request("POST", f"/api/v1{path}", body, headers)
        answer = connection.getresponse()
        assert answer.headers["Content-Type"].startswith(("application/json", "application/problem+json"))
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def upload(size_bytes: int) -> tuple[bytes, str]:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    return head + b"a" * size_bytes + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"


def test_a_body_is_as_large_as_its_token_and_its_address_allow(port: int) -> None:
    ada, json_kind = token_of(people.editor("ada")), "application/json"
    vera = token_of(people.viewer("vera"))
    small, large = b'{"name": "' + b"a" * 30_000 + b'"}', b'{"name": "' + b"a" * 1_200_000 + b'"}'
    assert ask(port, "/workspaces", small, kind=json_kind)[0] == 401
    assert ask(port, "/workspaces", small, kind=json_kind, token="bgt_made-up")[0] == 401
    assert ask(port, "/workspaces", small, kind=json_kind, token=vera)[0] == 403
    assert ask(port, "/workspaces", small, kind=json_kind, token=ada)[0] == 422
    status, document = ask(port, "/workspaces", large, kind=json_kind, token=ada)
    assert (status, document["type"]) == (413, "/api/#too-large")
    assert "1 MB" in document["detail"]

    text = "How deep is the harbour? " * 60_000
    talk = {"request": {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}}
    assert ask(port, "/pack", json.dumps(talk).encode(), kind=json_kind, token=vera)[1]["type"] == "/api/#over-budget"
    status, document = ask(port, "/pack", b" " * 8_100_000, kind=json_kind, token=ada)
    assert status == 413
    assert "8.0 MB" in document["detail"] or "8 MB" in document["detail"], document

    file, multipart = upload(2_000_000)
    assert ask(port, "/sources", file, kind=multipart)[0] == 401
    assert ask(port, "/sources", file, kind=multipart, token=vera)[0] == 403
    assert ask(port, "/sources", file, kind=multipart, token=ada)[0] == 201
    assert ask(port, "/workspaces", file, kind=multipart, token=ada)[0] == 413


def test_a_session_is_pushed_as_it_grows_and_its_configuration_pulled(port: int, tmp_path: Path) -> None:
    secret = token_of(people.editor("ada"))
    folders = {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    url = f"http://127.0.0.1:{port}"
    session = tmp_path / "session.jsonl"
    session.write_text("".join(LINES[:5]))

    def budgeteer(*arguments: str, sent: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "budgeteer.cli", *arguments],
            env=os.environ | folders,
            input=sent,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    assert "not logged in" in budgeteer("push", str(session)).stderr
    assert budgeteer("login", url, sent="bgt_made-up\n").returncode == 2
    logged_in = budgeteer("login", url, sent=f"{secret}\n")
    assert logged_in.stdout.startswith(f"Logged in to {url} as ada (editor)"), logged_in.stderr
    assert secret not in logged_in.stdout

    watching = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "budgeteer.cli",
            "push",
            str(session),
            "--new",
            "Today",
            "--watch",
            "--every",
            "0.1",
            "--json",
        ],
        env=os.environ | folders,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - as above
    )
    try:
        first = json.loads(_line_of(watching))
        with session.open("a") as more:
            more.write("".join(LINES[5:]) + '{"half')
        second = json.loads(_line_of(watching))
    finally:
        watching.terminate()
        _out, err = watching.communicate(timeout=PATIENCE_SECONDS)
    assert (first["done"], second["done"]) == ("uploaded", "appended"), err
    assert second["sentBytes"] == len("".join(LINES[5:]))
    assert second["source"]["sha256"] == hashlib.sha256("".join(LINES).encode()).hexdigest()
    assert second["source"]["state"] == "ready"

    from budgeteer.workbench.models import Workspace

    workspace = Workspace.objects.get(name="Today")
    pulled = budgeteer("pull", str(workspace.pk), "-o", str(tmp_path / "config.json"))
    assert pulled.returncode == 0, pulled.stderr
    assert budgeteer("config", "validate", str(tmp_path / "config.json")).returncode == 0
    original = budgeteer("pull", second["source"]["id"], "--what", "source")
    assert original.stdout == "".join(LINES)
    missing = budgeteer("pull", "00000000-0000-0000-0000-000000000000")
    assert (missing.returncode, "there is none of that id" in missing.stderr) == (2, True)
    assert "is removed" in budgeteer("login", url, "--forget").stdout


def _line_of(process: subprocess.Popen[str]) -> str:
    """The next line that a process prints; the jobs that it waits for are done meanwhile."""
    import threading

    found: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: found.append(process.stdout.readline()))  # type: ignore[union-attr]
    reader.start()
    end = time.monotonic() + PATIENCE_SECONDS
    while reader.is_alive() and time.monotonic() < end:
        do_jobs()
        reader.join(0.05)
    assert found, "nothing was printed"
    return found[0]


def test_scopes_are_told_by_login(port: int, tmp_path: Path) -> None:
    secret = token_of(people.editor("ada"), [Scope.PACK])
    done = subprocess.run(
        [sys.executable, "-m", "budgeteer.cli", "login", f"http://127.0.0.1:{port}"],
        env=os.environ | {"XDG_CONFIG_HOME": str(tmp_path)},
        input=secret,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert done.stdout.rstrip().endswith("for: pack")
