"""`budgeteer search` and `budgeteer prompts`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from budgeteer.cli.commands.prompts import PROMPTS
from budgeteer.engine.packing.sections.search_tool import search_instructions
from tests.cli.conftest import Budgeteer
from tests.conformance.counting import reference


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "features"
    for name, text in {
        "chat-history.md": "# Chat history\n\nA chat is kept. A chat is listed.",
        "login.md": "# Login\n\nAfter a login the chat opens.",
        "bugs/chat-crash.md": "# Crash\n\nThe chat crashes.",
        "billing.md": "# Billing\n\nInvoices.",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_best_come_first_with_their_scores_and_sizes(budgeteer: Budgeteer, library: Path) -> None:
    run = budgeteer("search", library, "--keywords", " Chat ,history,chat", "--json")
    data = json.loads(run.out)
    assert run.status == 0
    assert data["keywords"] == ["chat", "history"]
    assert data["listed"] == []
    found = [(r["path"], r["score"], r["filenameHits"], r["contentHits"]) for r in data["results"]]
    assert found == [("chat-history.md", 10, 2, 4), ("login.md", 1, 0, 1)]
    whole = "## Feature: login.md\n\n# Login\n\nAfter a login the chat opens."
    assert data["results"][1]["tokens"] == reference.count(whole)
    assert data["modes"]["found"] == 2
    assert data["modes"]["search"]["tokens"] < data["modes"]["all"]["tokens"]


def test_the_table_shows_what_either_mode_costs(budgeteer: Budgeteer, library: Path) -> None:
    run = budgeteer("search", library, "--keywords", "chat", "--top-k", "1")
    assert "2 of 4 specs match" in run.out
    assert "chat-history.md" in run.out
    assert "login.md" not in run.out
    assert [line.split()[0] for line in run.out.splitlines()[-6:-1]] == ["in", "all", "this", "search_features,", "its"]


def test_the_text_is_what_the_model_would_get(budgeteer: Budgeteer, library: Path) -> None:
    run = budgeteer("search", library, "--keywords", "login", "--text")
    assert run.out.startswith("# Feature specifications\n\nThese specifications match the request. They are binding")
    assert run.out.endswith("## Feature: login.md\n\n# Login\n\nAfter a login the chat opens.\n")


@pytest.mark.parametrize(("keywords", "why"), [("", "No keyword was given"), ("zebra", "Nothing matches zebra")])
def test_without_a_match_the_files_are_listed(budgeteer: Budgeteer, library: Path, keywords: str, why: str) -> None:
    listed = ["billing.md", "chat-history.md", "login.md"]
    data = json.loads(budgeteer("search", library, "--keywords", keywords, "--json").out)
    assert (data["results"], data["listed"]) == ([], listed)
    run = budgeteer("search", library, "--keywords", keywords)
    assert why in run.out
    assert "billing.md\nchat-history.md\nlogin.md" in run.out


@pytest.mark.parametrize("make", [False, True])
@pytest.mark.parametrize("how", [(), ("--text",)])
def test_a_folder_that_is_missing_or_empty_is_an_answer(
    budgeteer: Budgeteer, tmp_path: Path, *, make: bool, how: tuple[str, ...]
) -> None:
    if make:
        (tmp_path / "none").mkdir()
    run = budgeteer("search", tmp_path / "none", "--keywords", "chat", *how)
    assert (run.status, run.out) == (0, "No feature files found.\n")
    assert str(tmp_path / "none") in run.err
    assert json.loads(budgeteer("search", tmp_path / "none", "--json").out)["modes"] is None


def test_a_library_of_nothing_but_excluded_folders_has_no_files(budgeteer: Budgeteer, tmp_path: Path) -> None:
    (tmp_path / "bugs").mkdir()
    (tmp_path / "bugs" / "one.md").write_text("x")
    run = budgeteer("search", tmp_path, "--keywords", "x")
    assert run.out.startswith("No feature files found.\n")


def test_a_file_that_is_missing_is_an_error(budgeteer: Budgeteer, tmp_path: Path) -> None:
    run = budgeteer("search", tmp_path / "none.zip", "--keywords", "chat")
    assert run.status == 2
    assert "cannot be read" in run.err


def test_an_unreadable_file_is_skipped_and_named(budgeteer: Budgeteer, library: Path) -> None:
    (library / "binary.md").write_bytes(bytes(range(256)) * 4)
    run = budgeteer("search", library, "--keywords", "chat", "--json")
    assert run.status == 0
    assert len(json.loads(run.out)["results"]) == 2
    assert "binary.md was not read" in run.err


def test_json_and_text_exclude_each_other(budgeteer: Budgeteer, library: Path) -> None:
    run = budgeteer("search", library, "--json", "--text")
    assert run.status == 2
    assert "give one" in run.err


def test_the_tool_is_printed_in_every_form(budgeteer: Budgeteer) -> None:
    openai = json.loads(budgeteer("prompts", "search_features", "--form", "openai").out)
    anthropic = json.loads(budgeteer("prompts", "search_features", "--form", "anthropic").out)
    mcp = json.loads(budgeteer("prompts", "search_features", "--form", "mcp").out)
    assert openai["type"] == "function"
    assert (openai["function"]["name"], anthropic["name"], mcp["name"]) == ("search_features",) * 3
    assert openai["function"]["parameters"] == anthropic["input_schema"] == mcp["inputSchema"]
    assert mcp["inputSchema"]["required"] == ["keywords"]
    assert "acceptance criteria" in budgeteer("prompts", "search_features").out


def test_the_instructions_are_printed_and_the_names_listed(budgeteer: Budgeteer) -> None:
    assert budgeteer("prompts", "search_features.instructions").out == f"{search_instructions()}\n"
    assert "search_features.instructions" in budgeteer("prompts").out


@pytest.mark.parametrize("form", ["openai", "responses", "anthropic", "gemini", "mcp"])
def test_compress_is_printed_in_every_form(budgeteer: Budgeteer, form: str) -> None:
    told = json.loads(budgeteer("prompts", "compress", "--form", form).out)
    inner = told.get("function", told)
    schema = next(
        inner[key] for key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema") if key in inner
    )
    assert inner["name"] == "compress"
    assert schema["required"] == ["topic", "ranges"]
    assert schema["properties"]["ranges"]["items"]["required"] == ["startId", "endId", "summary"]


def test_every_prompt_that_is_listed_is_printed(budgeteer: Budgeteer) -> None:
    texts = {name: budgeteer("prompts", name) for name in PROMPTS}
    assert all(run.status == 0 and run.out.strip() for run in texts.values())
    assert len({run.out for run in texts.values()}) == len(PROMPTS)
    assert all(name in budgeteer("prompts").out for name in PROMPTS)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nothing",), "there is no such prompt"),
        (("search_features.instructions", "--form", "mcp"), "is a text"),
    ],
)
def test_a_prompt_that_is_not_there_is_refused(budgeteer: Budgeteer, arguments: tuple[str, ...], sentence: str) -> None:
    run = budgeteer("prompts", *arguments)
    assert run.status == 2
    assert sentence in run.err
