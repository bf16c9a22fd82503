"""The client gives the numbers of the Python API, the page's figures and the command line."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import override

import httpx2
import pytest
from django.contrib.auth.models import User

import budgeteer
from budgeteer.client.connection import TRIES, Connection, RemoteError, checked_url
from budgeteer.client.remote import Remote, RemoteWorkspace
from budgeteer.presentation.header import snapshot_of
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import preview

TALK = {
    "model": "gpt-4o",
    "messages": [
        {"role": role, "content": f"{role} says {n} " * 40} for n in range(30) for role in ("user", "assistant")
    ],
}


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    place = tmp_path / "talk.json"
    place.write_text(json.dumps(TALK))
    return place


def test_api_page_python_and_command_line_agree_on_every_number(
    remote: Remote, talk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = remote.load(talk, name="Harbour")
    workspace.packing()  # the model that the conversation names is known once it is imported
    workspace.configure({"history.strategy": "newestFirst", "history.maxTokens": 2000})
    answered = workspace.packing()
    assert 0 < answered["total"]["tokens"] < answered["demand"]["tokens"]

    own = budgeteer.pack(budgeteer.load(talk), workspace.config)
    assert answered["total"] == own.total.to_json()
    assert answered["verdict"]["sentence"] == own.verdict.sentence

    row = Workspace.objects.get(pk=workspace.id)
    packed = preview(row, EditableConfig.of(row)).packed
    assert packed is not None
    assert row.last_verdict == snapshot_of(packed.packing)
    assert answered["total"] == packed.packing.total.to_json()

    config = tmp_path / "config.json"
    config.write_text(json.dumps(remote.workspace(workspace.id).config))
    from budgeteer.cli import main

    with pytest.raises(SystemExit):
        main(["pack", "--conversation", str(talk), "--config", str(config), "--json"])
    printed = json.loads(capsys.readouterr().out)
    differing = {key for key in printed if printed[key] != answered[key]}
    assert differing <= {"decisions"}, differing  # ids of messages name their file
    fates = [(one["fate"], one["after"]) for one in printed["decisions"]]
    assert fates == [(one["fate"], one["after"]) for one in answered["decisions"]]
    assert workspace.request()["messages"] == budgeteer.render_request(own)["messages"]


def test_a_body_is_packed_there_as_it_is_here(remote: Remote) -> None:
    config = {"history": {"strategy": "newestFirst", "maxTokens": 900}}
    there, here = remote.pack_request(TALK, config), budgeteer.pack_request(TALK, config)
    assert (there.body, there.provider, there.tokens) == (here.body, here.provider, here.tokens)


def test_what_cannot_fit_says_what_cannot_shrink(remote: Remote) -> None:
    with pytest.raises(RemoteError) as refused:
        remote.pack_request(TALK, {"contextWindow": 1000, "outputReserve": 990})
    assert refused.value.status == 422
    assert refused.value.document["neededTokens"] > refused.value.document["allowedTokens"]


def test_all_of_a_change_is_made_or_nothing(remote: Remote, talk: Path) -> None:
    workspace = remote.load(talk)
    before = remote.workspace(workspace.id).data
    with pytest.raises(RemoteError) as refused:
        workspace.configure({"history.maxTokens": 2000, "history.nothing": 1})
    assert "history.nothing" in refused.value.where
    assert remote.workspace(workspace.id).data == before
    workspace.configure({"outputReserve": 500})
    workspace.configure(reset=["outputReserve"])
    assert workspace.data["changes"] == before["changes"]
    assert workspace.id in [row["id"] for row in remote.workspaces()]
    workspace.delete()
    assert list(remote.workspaces()) == []


def test_a_workspace_is_shared_and_revoked(remote: Remote, talk: Path) -> None:
    workspace = remote.load(talk)
    workspace.packing()
    shared = workspace.share(title="Harbour")
    assert "/r/" in shared["url"]
    revoked = remote.connection.json("POST", f"/reports/{shared['id']}/revoke", json={})
    assert (revoked["state"], revoked["url"]) == ("revoked", "")


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("https://budget.example.org/w/", "https://budget.example.org"),
        ("budget.example.org:8443", "https://budget.example.org:8443"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
    ],
)
def test_an_address_is_cut_to_its_host(written: str, url: str) -> None:
    assert checked_url(written) == url


@pytest.mark.parametrize("written", ["", "ftp://budget.example.org", "https://", "http://[", "https://a:port"])
def test_what_is_no_address_is_refused(written: str) -> None:
    with pytest.raises(RemoteError):
        checked_url(written)


def test_a_token_is_not_sent_over_the_network_in_the_clear() -> None:
    with pytest.raises(RemoteError, match="in the clear"):
        checked_url("http://budget.example.org")


@pytest.mark.parametrize("token", ["bgt_…", "bgt_\ufeff", "bgt_\udcff", "bgt_a\nb"])
def test_what_cannot_be_a_token_is_refused(token: str) -> None:
    with pytest.raises(RemoteError, match="characters that no token has"):
        Connection("http://localhost", token)


class Hearing(BaseHTTPRequestHandler):
    """Answers every request with {} and notes which address it was asked for."""

    def do_GET(self) -> None:
        heard: list[str] = self.server.heard  # type: ignore[attr-defined]  # put there by `listening`
        heard.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    @override
    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def listening() -> Iterator[tuple[int, list[str]]]:
    """A server on this computer: its port, and what it was asked for."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Hearing) as server:
        server.heard = []  # type: ignore[attr-defined]  # read by Hearing
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server.server_port, server.heard  # type: ignore[attr-defined]  # as above
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_token_for_this_computer_passes_no_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with listening() as (proxy_port, at_proxy), listening() as (port, at_dashboard):
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy_port}")
        connection = Connection(f"http://{host}:{port}", "t")
        assert connection.json("GET", "/me") == {}
        connection.close()
    assert (at_proxy, at_dashboard) == ([], ["/api/v1/me"])


def test_what_passes_is_tried_again_with_the_same_key() -> None:
    keys, waited = [], []

    def answer(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers["Idempotency-Key"])
        if len(keys) == 1:
            raise httpx2.ConnectError("nobody there")
        return httpx2.Response(429, headers={"Retry-After": "7"}) if len(keys) == 2 else httpx2.Response(200, json={})

    connection = Connection("http://localhost", "t", transport=httpx2.MockTransport(answer), sleep=waited.append)
    assert connection.json("POST", "/pack", json={}) == {}
    assert len(set(keys)) == 1
    assert waited == [1.0, 7.0]


def test_a_request_that_is_being_answered_is_asked_for_again() -> None:
    answers = [httpx2.Response(409, headers={"Retry-After": "1"}), httpx2.Response(200, json={"id": "1"})]
    waited: list[float] = []
    transport = httpx2.MockTransport(lambda _: answers.pop(0))
    connection = Connection("http://localhost", "t", transport=transport, sleep=waited.append)
    assert connection.json("POST", "/sources", json={}) == {"id": "1"}
    assert waited == [1.0]
    answers[:] = [httpx2.Response(409)]
    with pytest.raises(RemoteError):
        connection.json("POST", "/sources", json={})


def test_a_dashboard_that_is_away_is_an_error_after_the_last_try() -> None:
    tried = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        tried.append(request)
        raise httpx2.ConnectError("nobody there")

    connection = Connection("http://localhost", "t", transport=httpx2.MockTransport(answer), sleep=lambda _: None)
    with pytest.raises(RemoteError, match="cannot be reached"):
        connection.send("GET", "/me")
    assert len(tried) == TRIES


def answering(answer: httpx2.Response) -> Remote:
    """A client of a server that answers everything with this."""
    transport = httpx2.MockTransport(lambda _: answer)
    return Remote(Connection("http://localhost", "t", transport=transport, sleep=lambda _: None))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_no_success(status: int) -> None:
    elsewhere = httpx2.Response(status, headers={"Location": "https://sign-in.example/?next=x"}, html="<p>Sign in</p>")
    remote = answering(elsewhere)
    for ask in (
        RemoteWorkspace(remote, {"id": "1"}).delete,
        lambda: remote.content("1"),
        lambda: remote.when_ready("/workspaces/1/preview", {}),
    ):
        with pytest.raises(RemoteError, match=r"leads to https://sign-in\.example") as refused:
            ask()
        assert refused.value.status == status


def test_an_answer_that_is_no_json_is_told() -> None:
    with pytest.raises(RemoteError, match="something else than JSON"):
        answering(httpx2.Response(200, html="<p>Hello</p>")).when_ready("/workspaces/1/preview", {})


def test_an_account_is_whom_the_token_speaks_for(remote: Remote, owner: User) -> None:
    assert remote.account()["name"] == owner.username
