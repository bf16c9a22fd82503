"""Evaluations by the client: the figures are those of the command line over the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from budgeteer.cli.commands.evaluate import command
from budgeteer.client.connection import RemoteError
from budgeteer.client.remote import Remote
from tests.collections.material import CONFIGS, lines

pytestmark = pytest.mark.django_db(transaction=True)


def collected(remote: Remote, folder: Path) -> str:
    """A collection of one uploaded file, imported; its id."""
    place = folder / "talks.jsonl"
    place.write_bytes(lines(range(9)))
    source = remote.upload(place)
    remote.imported(source["id"])
    made = remote.new_collection([source["id"]], name="Talks")
    assert [one["id"] for one in remote.collections()] == [made["id"]]
    return str(made["id"])


def test_an_evaluation_gives_what_the_command_line_gives(remote: Remote, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    begun = remote.evaluate(collected(remote, sessions), [{"name": "newest", "changes": CONFIGS["newest"]}])
    figures = begun.figures()
    (tmp_path / "newest.json").write_text(json.dumps(CONFIGS["newest"]))
    options = ["--config", str(tmp_path / "newest.json"), "--json", "--workers", "1"]
    done = CliRunner().invoke(command, [str(sessions), *options])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)["configurations"][0]
    answered = figures["configurations"][0]
    same = ("limit", "conversations", "messages", "requested", "sent", "levels", "dropped", "cost", "tools", "rules")
    assert {key: answered[key] for key in same} == {key: printed[key] for key in same}
    assert (begun.state, answered["name"]) == ("done", "newest")


def test_one_that_was_called_off_has_no_figures(remote: Remote, tmp_path: Path) -> None:
    begun = remote.evaluate(collected(remote, tmp_path), [{}])
    begun.cancel()
    with pytest.raises(RemoteError, match="was cancelled"):
        begun.figures()


def test_what_cannot_be_evaluated_is_said(remote: Remote, tmp_path: Path) -> None:
    with pytest.raises(RemoteError, match=r"maxTokens"):
        remote.evaluate(collected(remote, tmp_path), [{"changes": {"history": {"maxTokens": -1}}}])
