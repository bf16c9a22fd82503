"""The program as a whole: help, exit statuses, errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from budgeteer import __version__
from budgeteer.cli.program import COMMANDS
from tests.cli.conftest import Budgeteer

HEAVY = ("django", "numpy", "tiktoken", "toktok", "ctok", "pydantic", "yaml", "celery", "genai_prices", "structlog")


def test_help_lists_the_commands_and_none_that_is_missing(budgeteer: Budgeteer) -> None:
    run = budgeteer("--help")
    assert run.status == 0
    listed = run.out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "] == list(COMMANDS)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from budgeteer.cli import main\n"
        "try: main(['--help'])\n"
        f"except SystemExit: print('loaded:', [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "config"])
def test_every_command_has_its_own_help_without_loading_django_or_numpy(command: str) -> None:
    code = (
        "import sys; from budgeteer.cli import main\n"
        f"try: main([{command!r}, '--help'])\n"
        "except SystemExit as left: print('left with', left.code, 'django' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"Usage: budgeteer {command}" in done.stdout
    assert done.stdout.splitlines()[-1] == "left with 0 False False"


def test_version_is_the_packages(budgeteer: Budgeteer) -> None:
    assert budgeteer("--version").out == f"budgeteer {__version__}\n"


def test_no_command_shows_the_help_and_counts_as_bad_usage(budgeteer: Budgeteer) -> None:
    run = budgeteer()
    assert run.status == 2
    assert "Usage: budgeteer" in run.err


def test_a_misspelt_command_is_refused_with_the_nearest(budgeteer: Budgeteer) -> None:
    run = budgeteer("pak")
    assert run.status == 2
    assert run.err.startswith("budgeteer: pak: there is no such command. Did you mean pack?")


def test_an_unknown_option_is_bad_usage_and_points_to_the_help(budgeteer: Budgeteer) -> None:
    run = budgeteer("pack", "--converstion", "x.json")
    assert run.status == 2
    assert run.err.startswith("budgeteer: ")
    assert "--conversation" in run.err
    assert "'budgeteer pack --help'" in run.err


def test_a_reader_that_leaves_early_is_no_error() -> None:
    line = [sys.executable, "-m", "budgeteer.cli", "config", "schema"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        complaint = running.stderr.read()
        assert running.wait() == 0
    assert complaint == b""


def test_output_is_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    config = tmp_path / "c.json"
    config.write_text('{"system": {"marker": "─ naïve 日本"}}', encoding="utf-8")
    line = [sys.executable, "-m", "budgeteer.cli", "config", "show", str(config), "--json"]
    environment = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = subprocess.run(line, capture_output=True, check=True, env=environment)
    assert '"─ naïve 日本"' in done.stdout.decode("utf-8")
    config.write_text('{"system": {"marker": "half a pair: \\ud800"}}', encoding="utf-8")
    refused = subprocess.run(line, capture_output=True, check=False, env=environment)
    assert refused.returncode == 2
    assert "half of a surrogate pair cannot be used" in refused.stderr.decode("utf-8")
