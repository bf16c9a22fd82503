"""Counts kept between runs: the same figures, no tokenizer loaded, and nothing lost where the cache is."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.cli import count_cache
from budgeteer.cli.count_cache import KeepingCounter, cache_folder, keeping_counter
from budgeteer.engine.counting.claude.claude_vocabulary import CLAUDE_FAMILIES
from budgeteer.engine.counting.tokenizers import BpeCounter, counter_for
from tests.cli.conftest import MESSAGES, Budgeteer

COUNTER = counter_for("o200k_base")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "budgeteer" / "counts.sqlite3"


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"messages": MESSAGES}), encoding="utf-8")
    return path


@pytest.mark.slow
def test_packing_the_same_again_loads_no_tokenizer(conversation: Path, cache: Path) -> None:
    line = ["pack", "--conversation", str(conversation), "--system", "Be brief.", "--query", "And now?"]
    code = (
        "import sys; from budgeteer.cli import main\n"
        f"try: main({line})\n"
        "except SystemExit as left: print(left.code, [one for one in ('toktok', 'tiktoken') if one in sys.modules])"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    ]
    assert [run[-1] for run in runs] == ["0 ['toktok']", "0 []"]
    assert runs[0][:-1] == runs[1][:-1]
    assert cache.is_file()


def test_without_the_cache_nothing_is_kept_and_the_figures_are_the_same(
    budgeteer: Budgeteer, conversation: Path, cache: Path
) -> None:
    run = budgeteer("pack", "--conversation", conversation, "--no-cache", "--json")
    assert run.status == 0
    assert not cache.exists()
    assert budgeteer("pack", "--conversation", conversation, "--json").out == run.out
    assert cache.exists()


@given(texts=st.lists(st.text(st.characters(), max_size=20), max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
def test_a_kept_count_is_the_count(texts: list[str]) -> None:
    for _ in range(2):
        with keeping_counter("o200k_base", complain=pytest.fail) as counter:
            assert counter.count_all(texts) == COUNTER.count_all(texts)
            assert counter.count_parts(texts) == COUNTER.count_parts(texts)


def test_each_tokenizer_has_counts_of_its_own() -> None:
    text = "Überraschung für 日本語"
    for name in ("o200k_base", "cl100k_base", *CLAUDE_FAMILIES):
        with keeping_counter(name, complain=pytest.fail) as counter:
            assert counter.count(text) == counter_for(name).count(text)


def test_what_is_kept_is_not_counted_again() -> None:
    with keeping_counter("o200k_base", complain=pytest.fail) as counter:
        counter.count("once")
    with (
        mock.patch.object(BpeCounter, "count", side_effect=AssertionError("counted again")),
        keeping_counter("o200k_base", complain=pytest.fail) as counter,
    ):
        assert counter.count("once") == 1


def test_a_file_that_is_no_cache_is_named_and_everything_counted(
    budgeteer: Budgeteer, conversation: Path, cache: Path
) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("not a database, but long enough to be taken for one" * 100)
    run = budgeteer("pack", "--conversation", conversation)
    assert run.status == 0
    assert str(cache) in run.err
    assert "Remove the file" in run.err


def test_a_file_that_has_grown_too_large_is_begun_anew(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with keeping_counter("o200k_base", complain=pytest.fail) as counter:
        counter.count("old")
    monkeypatch.setattr(count_cache, "MOST_BYTES", 10)
    with keeping_counter("o200k_base", complain=pytest.fail) as counter:
        counter.count("new")
    with sqlite3.connect(cache) as file:
        assert file.execute("SELECT count(*) FROM counts").fetchone() == (1,)
    file.close()


def test_a_cache_that_fails_later_is_named_once(tmp_path: Path) -> None:
    said: list[str] = []
    counter = KeepingCounter(counter_for("o200k_base"), tmp_path / "counts", complain=said.append)
    with sqlite3.connect(tmp_path / "counts") as file:
        file.execute("DROP TABLE counts")
    file.close()
    assert [counter.count("a"), counter.count("b")] == [1, 1]
    counter.keep()
    counter.close()
    assert len(said) == 1


def test_a_rule_of_thumb_is_not_kept(cache: Path) -> None:
    with keeping_counter("chars/4", complain=pytest.fail) as counter:
        assert counter is counter_for("chars/4")
    assert not cache.exists()


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "set/budgeteer"),
        ("darwin", None, "home/Library/Caches/budgeteer"),
        ("win32", "LOCALAPPDATA", "set/budgeteer"),
        ("win32", None, "home/AppData/Local/budgeteer"),
        ("linux", None, "home/.cache/budgeteer"),
    ],
)
def test_the_folder_is_the_system_s(
    platform: str, variable: str | None, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path / "set"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == tmp_path / expected
