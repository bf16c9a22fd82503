"""`budgeteer check` as a build runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import Budgeteer

BODY = "First look, then leap.\n"


def skill(folder: Path, name: str, *, description: str = "When to look.", body: str = BODY) -> None:
    place = folder / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    for name in ("anchor", "beacon", "crane"):
        skill(folder, name)
    return folder


def test_a_library_within_its_limits_passes(budgeteer: Budgeteer, library: Path) -> None:
    run = budgeteer("check", library)
    assert run.status == 0
    assert run.out.splitlines()[-1] == "passed: 0 limits exceeded, 0 errors, 0 warnings"
    assert re.search(r"maxSkillsInPrompt +3 +150 +2\.0 % +ok", run.out)


@pytest.mark.parametrize(
    ("limit", "value"), [("maxSkillsInPrompt", 2), ("maxSkillsPromptChars", 200), ("maxSkillFileBytes", 40)]
)
def test_each_limit_fails_the_build_when_it_is_passed_and_not_when_it_is_reached(
    budgeteer: Budgeteer, library: Path, limit: str, value: int
) -> None:
    run = budgeteer("check", library, "--format", "json", "--set", f"skillsBudget.limits.{limit}={value}")
    found = json.loads(run.out)
    states = {state["limit"]: state for state in found["limits"]}
    assert (run.status, found["ok"], states[limit]["level"]) == (1, False, "exceeded")
    at_the_limit = f"skillsBudget.limits.{limit}={states[limit]['used']}"
    again = budgeteer("check", library, "--format", "json", "--set", at_the_limit)
    assert again.status == 0
    assert {state["limit"]: state["level"] for state in json.loads(again.out)["limits"]}[limit] == "reached"


def test_the_limits_hold_where_the_configuration_does_not_enable_them(
    budgeteer: Budgeteer, library: Path, tmp_path: Path
) -> None:
    config = tmp_path / "budget.json"
    config.write_text('{"skillsBudget": {"enabled": false, "limits": {"maxSkillsInPrompt": 1}}}')
    run = budgeteer("check", library, "--config", config)
    assert run.status == 1
    assert "beacon/SKILL.md: Skill 2 of 3; the limit is 1." in run.out


def test_what_cannot_be_read_is_named_and_fails_only_a_strict_build(budgeteer: Budgeteer, library: Path) -> None:
    (library / "broken").mkdir()
    (library / "broken" / "SKILL.md").write_text("no front matter here")
    lenient, strict = budgeteer("check", library), budgeteer("check", library, "--strict")
    assert (lenient.status, strict.status) == (0, 1)
    assert "not read   broken/SKILL.md: no front matter" in lenient.out
    assert strict.out.splitlines()[-1] == "FAILED: 0 limits exceeded, 0 errors, 1 warning"


def test_what_harnesses_stumble_over_is_said(budgeteer: Budgeteer, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    skill(folder, "silent", description="''")
    skill(folder, "long", description="word " * 300)
    skill(folder, "Shouting Name")
    skill(folder / "copy", "silent")
    found = json.loads(budgeteer("check", folder, "--format", "json").out)
    assert [(problem["level"], problem["rule"], problem["path"]) for problem in found["problems"]] == [
        ("warning", "description", "long/SKILL.md"),
        ("warning", "description", "silent/SKILL.md"),
        ("warning", "name", "silent/SKILL.md"),
        ("notice", "name", "Shouting Name/SKILL.md"),
    ]
    assert "stands for copy/silent/SKILL.md already" in found["problems"][2]["sentence"]


def test_github_annotates_the_files_and_escapes_what_it_must(budgeteer: Budgeteer, tmp_path: Path) -> None:
    folder = tmp_path / "skills, all"
    skill(folder, "anchor", body="x" * 400)
    run = budgeteer("check", folder, "--format", "github", "--set", "skillsBudget.limits.maxSkillFileBytes=100")
    commands = [line for line in run.out.splitlines() if line.startswith("::")]
    assert run.status == 1
    assert commands[0].startswith(f"::error file={str(folder).replace(',', '%2C')},line=1,title=maxSkillFileBytes::")
    assert "%25)." in commands[0]
    assert commands[1].split(",line=1")[0].endswith("anchor/SKILL.md")
    assert all(re.fullmatch(r"::(error|warning|notice) file=[^,:]+,line=1,title=[^,:]+::[^\r\n]+", c) for c in commands)


def test_junit_counts_what_fails(budgeteer: Budgeteer, library: Path) -> None:
    run = budgeteer("check", library, "--format", "junit", "--set", "skillsBudget.limits.maxSkillsInPrompt=1")
    root = ET.fromstring(run.out)
    suite = root[0]
    assert run.status == 1
    assert suite.get("tests") == str(len(suite)) == "5"
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) == "1"
    assert {case.get("name") for case in suite} == {
        "maxSkillsInPrompt",
        "maxSkillsPromptChars",
        "maxSkillFileBytes",
        "beacon/SKILL.md",
        "crane/SKILL.md",
    }


def test_junit_is_xml_whatever_a_skill_is_called(budgeteer: Budgeteer, tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    skill(folder, "a", description='"<&> \\u0007 \\ud83d"')
    skill(folder, "b", description='"<&> \\u0007 \\ud83d"')
    run = budgeteer(
        "check", folder, "--format", "junit", "--strict", "--set", "skillsBudget.limits.maxSkillsInPrompt=1"
    )
    assert ET.fromstring(run.out).tag == "testsuites"


def test_notices_are_cut_unless_all_are_wanted(budgeteer: Budgeteer, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    for number in range(30):
        skill(folder, f"skill-{number:02}")
    few = budgeteer("check", folder, "--set", "skillsBudget.limits.maxSkillsInPrompt=1").out
    many = budgeteer("check", folder, "--all", "--set", "skillsBudget.limits.maxSkillsInPrompt=1").out
    assert "… and 19 more notices (--all shows them)" in few
    assert (few.count("\nnotice"), many.count("\nnotice")) == (10, 29)


def test_something_else_than_a_library_is_bad_input(budgeteer: Budgeteer, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A plain note.")
    run = budgeteer("check", note)
    assert run.status == 2
    assert "not a skill library" in run.err
    assert budgeteer("check", tmp_path / "nowhere").status == 2
    assert budgeteer("check", note, "--format", "xml").status == 2
