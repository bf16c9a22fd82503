"""What is measured against is pinned, and what both environments hold is the same version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: litellm takes no newer one.
OLDER = {"openai"}


def pins(name: str) -> dict[str, str]:
    return dict(line.split("==") for line in (ROOT / name).read_text().splitlines())


def test_what_both_environments_hold_is_the_same_version():
    dashboard, bench = pins("constraints.txt"), pins("benchmarks/constraints.txt")
    assert {name for name in dashboard.keys() & bench.keys() if dashboard[name] != bench[name]} == OLDER


def test_everything_asked_for_is_pinned():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    asked = {re.split(r"[<>=]", requirement)[0] for requirement in groups["bench"]}
    assert asked <= pins("benchmarks/constraints.txt").keys()
