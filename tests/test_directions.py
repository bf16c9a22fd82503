"""What the import contracts cannot see: which packages are really loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest


def loaded_after(statement: str) -> set[str]:
    script = f"{statement}\nimport sys\nprint(*sorted(name.partition('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import budgeteer.engine.packing.pack, budgeteer.engine.rendering, budgeteer.engine.counting.tokenizers",
        "import budgeteer.formats.detect",
        "import budgeteer.samples",
        "from budgeteer.cli.commands import pack, import_, count, config",
        "import budgeteer.api",
    ],
)
def test_counting_and_packing_load_no_framework(statement):
    assert loaded_after(statement) & {"django", "celery", "kombu", "redis", "psycopg", "environs"} == set()


def test_the_settings_are_not_read_by_the_command_line_but_for_the_dashboard():
    assert "django" not in loaded_after("import budgeteer.cli")
