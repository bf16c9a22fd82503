"""The presets of agents: every value has its source, and a request is compacted where the agent compacts it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from budgeteer.engine.analysis.replay.agent_harnesses import HARNESSES, AgentRoom
from budgeteer.engine.config.schema import OF_THE_WINDOW
from budgeteer.presets import services
from budgeteer.presets.seeds import SEEDS, Seed
from tests.engine.packing.test_verdict import at
from tests.engine.packs import assistant, user

AGENTS = [seed for seed in SEEDS if seed.provenance]
ENGINE_PAGE = Path(__file__).parents[2] / "docs" / "engine.md"
SUMMARISING = "all that summarise"
WINDOW, REPLY = 200_000, 32_000


def leaves(config: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Every value of a configuration by its path."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        found |= leaves(value, f"{path}{key}.") if isinstance(value, dict) else {f"{path}{key}": value}
    return found


def documented() -> dict[str, dict[str, str]]:
    """The rows of the page's table: by preset, the value of each setting as it is written there."""
    table = ENGINE_PAGE.read_text(encoding="utf-8").split("**Presets of agents**")[1].split("**Deferred tools**")[0]
    rows: dict[str, dict[str, str]] = {}
    preset = ""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells[0] in ("preset", "---"):
            continue
        preset = cells[0] or preset
        assert cells[3], f"{line} has no source"
        for path in re.findall(r"`([^`]+)`", cells[1]):
            rows.setdefault(preset, {})[path] = cells[2]
    return rows


def written(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("seed", AGENTS, ids=lambda seed: seed.slug)
def test_every_value_stands_in_the_documentation_with_its_source(seed: Seed):
    rows = documented()
    said = rows[seed.title]
    if "history" in seed.config:
        said |= rows[SUMMARISING]
    assert said == {path: written(value) for path, value in leaves(seed.config).items()}


@pytest.mark.parametrize(
    ("slug", "harness"),
    [("claude-code", "claudeCode"), ("codex", "codex"), ("gemini-cli", "geminiCli"), ("copilot", "copilot")],
)
def test_a_preset_compacts_where_its_agent_does(slug: str, harness: Any):
    (seed,) = [seed for seed in SEEDS if seed.slug == slug]
    percent, _, of_what = seed.config["history"]["summarizing"]["trigger"].partition("%")
    whole = WINDOW if of_what == OF_THE_WINDOW else WINDOW - REPLY
    room = AgentRoom(window=WINDOW, reply=REPLY, most_input=WINDOW)
    assert float(percent) * whole / 100 == pytest.approx(HARNESSES[harness].trigger_tokens(room), abs=1)


@pytest.mark.parametrize("slug", ["claude-code", "codex", "gemini-cli", "copilot"])
def test_a_request_is_whole_below_the_trigger_and_summarised_above_it(slug: str):
    (seed,) = [seed for seed in SEEDS if seed.slug == slug]
    talk = [
        line
        for turn in range(40)
        for line in (user(f"Berth {turn}? " * 30), assistant(f"Decided: free until {turn}. " * 30))
    ]
    size = at(128_000, *talk).total.tokens
    percent = float(seed.config["history"]["summarizing"]["trigger"].partition("%")[0])
    above, below = (int(size * 100 / percent) + change for change in (-50, 50))
    assert at(below, *talk, **seed.config).verdict.counts["summarised"] == 0
    compacted = at(above, *talk, **seed.config)
    assert compacted.verdict.counts["summarised"] >= 39
    assert compacted.error is None
    assert compacted.total.tokens < size


def test_pruning_as_the_plugin_does_reminds_from_half_of_the_window_on():
    (seed,) = [seed for seed in SEEDS if seed.slug == "opencode-pruning"]
    talk = [
        line
        for turn in range(40)
        for line in (user(f"Berth {turn}? " * 30), assistant(f"Decided: free until {turn}. " * 30))
    ]
    size = at(128_000, *talk).total.tokens
    added = [at(int(size * share), *talk, **seed.config).verdict.counts["added"] for share in (1.6, 6)]
    assert added[0] > added[1]


@pytest.mark.django_db
@pytest.mark.parametrize("seed", AGENTS, ids=lambda seed: seed.slug)
def test_a_preset_of_an_agent_is_planted_with_where_its_numbers_come_from(seed: Seed):
    version = services.current(seed.slug)
    assert seed.provenance is not None
    assert (version.harness, version.checked_on) == (seed.provenance.harness, seed.provenance.checked_on)
    version.full_clean(exclude=["author"])
    version.preset.full_clean(exclude=["slug"])
