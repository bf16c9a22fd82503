"""Every row of the registry has tests of its own: a second reader, or a file of tests with the module's name."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from budgeteer.formats.format import Format
from budgeteer.formats.registry import ARCHIVES, OUR_FORMATS
from tests.formats.naive_readers import NAIVE

TESTS = Path(__file__).parent
#: What one test file looks at together, by the modules that it stands for.
TOGETHER = {
    "datasets/test_evaluations.py": {"datasets.calls.bfcl", "datasets.swe_agent", "text.text_transcripts"},
    "adk/test_sessions.py": {"adk.sessions", "adk.evaluation_sets"},
}


def module_of(row: Format) -> str:
    """Where it is read, below budgeteer.formats: "agents.cline"."""
    read = row.read.func if isinstance(row.read, partial) else row.read
    return read.__module__.removeprefix("budgeteer.formats.")


def file_of_tests(row: Format) -> Path:
    """The file of tests that is this row's own."""
    module = module_of(row)
    together = next((name for name, modules in TOGETHER.items() if module in modules), None)
    if together is not None:
        return TESTS / together
    *folders, name = module.split(".")
    return TESTS.joinpath(*folders, f"test_{name}.py")


@pytest.mark.parametrize("row", [row for row in OUR_FORMATS if row.name != ARCHIVES], ids=lambda row: row.name)
def test_a_format_has_a_second_reader_or_tests_of_its_own(row: Format) -> None:
    if row.name in NAIVE:  # tests/formats/test_makers.py compares both
        return
    tests = file_of_tests(row)
    assert tests.exists(), f"no second reader in NAIVE, and no {tests.relative_to(TESTS.parent)}"
    assert f'"{row.name}"' in tests.read_text(), f"{tests.name} never looks for `{row.name}`"
