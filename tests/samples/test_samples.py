"""The three samples: they import whole, they overflow, and they come out the same every time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from budgeteer import samples
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import InputError
from budgeteer.formats.detect import import_bytes

ROOT = Path(__file__).parents[2]
SLUGS = [sample.slug for sample in samples.SAMPLES]


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=SLUGS)
def test_every_file_is_what_the_sample_says_it_is(sample):
    for (name, kind), (read_name, content) in zip(sample.files, samples.read(sample.slug), strict=True):
        imported = import_bytes(content, name=name)
        assert (read_name, imported.kind) == (name, kind)


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=SLUGS)
def test_nothing_of_a_sample_is_skipped_but_the_readme_of_the_library(sample):
    for name, content in samples.read(sample.slug):
        skipped = import_bytes(content, name=name).skipped
        assert [entry for entry in skipped if "README" not in entry.where] == []


def test_the_session_is_longer_than_the_window_of_gpt_4o():
    [conversation] = import_bytes(dict(samples.read("agent-session"))["agent-session.jsonl"]).conversations
    counter = counter_for("o200k_base")
    texts = [
        getattr(part, name, "")
        for message in conversation.messages
        for part in message.parts
        for name in ("text", "arguments", "content")
    ]
    assert sum(counter.count(str(text)) for text in texts) > 123_904
    assert len(conversation.messages) > 200
    assert conversation.messages[-1].role == "user"


def test_the_session_calls_several_tools_at_once():
    [conversation] = import_bytes(dict(samples.read("agent-session"))["agent-session.jsonl"]).conversations
    calls = [sum(type(part).__name__ == "ToolCallPart" for part in message.parts) for message in conversation.messages]
    assert max(calls) >= 4


def test_the_library_holds_more_skills_than_fit():
    [(_name, content)] = samples.read("skills-library")
    skills = import_bytes(content).skills
    assert len(skills) > 120
    assert sum(len(skill.name) + len(skill.description) + len(skill.path) + 100 for skill in skills) > 30_000
    assert len({skill.path.split("/")[0] for skill in skills}) == 10


def test_the_catalogue_is_over_its_limit():
    [(_name, content)] = samples.read("tools-catalogue")
    tools = import_bytes(content).tools
    as_openai = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools]
    assert len(tools) > 120
    assert len(json.dumps(as_openai, separators=(",", ":"), ensure_ascii=False)) > 50_000


def test_an_unknown_sample_is_refused_with_the_names_there_are():
    with pytest.raises(InputError, match="agent-session, skills-library, tools-catalogue"):
        samples.read("agent-sesion")


def test_the_script_writes_the_packaged_files_byte_for_byte():
    script = "import json, make_samples; print(json.dumps({n: c.hex() for n, c in make_samples.everything().items()}))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT / "scripts"
    )
    packaged = {name: content.hex() for sample in samples.SAMPLES for name, content in samples.read(sample.slug)}
    assert json.loads(done.stdout) == packaged


def test_the_figures_on_the_first_page_are_those_the_engine_measures():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import make_samples
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    assert make_samples.measures() == {sample.slug: samples.measured(sample.slug) for sample in samples.SAMPLES}
