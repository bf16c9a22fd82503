#!/usr/bin/env python3
"""Write the three samples into `budgeteer/samples/data`. The same bytes every time."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import django  # noqa: E402 - see below
from samples import marina, skills, story, story_later, tools  # noqa: E402 - the folder is put on the path first
from samples.session import Transcript  # noqa: E402 - see above

from budgeteer.engine.config.schema import load_config  # noqa: E402 - see above
from budgeteer.engine.counting.tokenizers import counter_for  # noqa: E402 - see above
from budgeteer.engine.inputs.bundle import Inputs, build_bundle  # noqa: E402 - see above
from budgeteer.engine.packing.pack import pack  # noqa: E402 - see above
from budgeteer.engine.packing.result import Packing  # noqa: E402 - see above
from budgeteer.formats.detect import import_bytes  # noqa: E402 - see above
from budgeteer.samples import SAMPLES, Sample, read  # noqa: E402 - see above

DATA = ROOT / "budgeteer" / "samples" / "data"
WRITTEN = (2026, 10, 26, 12, 0, 0)


def agent_session() -> bytes:
    """The long session, as a Claude Code transcript."""
    random = Random(20261026)
    transcript = Transcript(marina.repository(random), random)
    first = (
        story.clock_change,
        story.slow_waitlist,
        story.flaky_test,
        story.reconcile,
        story.meters,
        story.review_models,
    )
    for task in (*first, *story_later.TASKS):
        task(transcript)
    return transcript.as_jsonl()


def zipped(files: Mapping[str, str]) -> bytes:
    """A zip whose bytes depend on nothing but its files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path, WRITTEN), text, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def as_tools_list(definitions: Sequence[Mapping[str, Any]]) -> bytes:
    """What an MCP server answers to `tools/list`, indented for people."""
    return (json.dumps({"tools": definitions}, indent=1, ensure_ascii=False) + "\n").encode()


def everything() -> dict[str, bytes]:
    """Every file of every sample, by name."""
    library = skills.library()
    catalogue = tools.catalogue()
    return {
        "agent-session.jsonl": agent_session(),
        "agent-tools.json": as_tools_list(
            [*tools.of_agent(), *(tool for tool in catalogue if tool["name"] in tools.USED_BY_AGENT)]
        ),
        "agent-skills.zip": zipped(skills.of_agent(library)),
        "skills-library.zip": zipped(library),
        "tools-catalogue.json": as_tools_list(catalogue),
    }


def measures() -> dict[str, Any]:
    """The figures of every sample under its own preset, for the first page."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    django.setup()
    from budgeteer.presentation.header import snapshot_of
    from budgeteer.presets.seeds import SEEDS

    presets = {seed.slug: seed.config for seed in SEEDS}
    return {sample.slug: snapshot_of(packed(sample, presets[sample.preset])) for sample in SAMPLES}


def packed(sample: Sample, config: Mapping[str, Any]) -> Packing:
    """A sample packed as a workspace over it packs it."""
    counter = counter_for("o200k_base")
    files = zip(sample.files, read(sample.slug), strict=True)
    found = {kind: import_bytes(content, name=name) for (name, kind), (_, content) in files}
    talk, skill_zip, tool_list = (found.get(kind) for kind in ("conversation", "skills", "tools"))
    inputs = Inputs(
        conversation=talk.conversations[0] if talk else None,
        skills=skill_zip.skills if skill_zip else (),
        tools=tool_list.tools if tool_list else None,
    )
    return pack(build_bundle(inputs, counter=counter), load_config(config), counter=counter)


def main() -> None:
    """Write the files and say how large they came out, then measure them."""
    DATA.mkdir(parents=True, exist_ok=True)
    for name, content in everything().items():
        (DATA / name).write_bytes(content)
        print(f"{name:<24}{len(content):>10,} bytes")
    (DATA / "measured.json").write_text(json.dumps(measures(), indent=1) + "\n")


if __name__ == "__main__":
    main()
