"""Output of `budgeteer check`: text, JSON, GitHub workflow commands, JUnit XML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from budgeteer.cli.output.tables import shortened, table
from budgeteer.engine.analysis.skill_check import LibraryCheck, LimitState, SkillProblem


@dataclass(frozen=True, slots=True)
class Checked:
    """What a report is made of.

    Attributes:
        library: as it was named.
        found: the check.
        skipped: what could not be read: (path inside the library, why).
        strict, show_all: as asked for.
    """

    library: str
    found: LibraryCheck
    skipped: tuple[tuple[str, str], ...]
    strict: bool
    show_all: bool

    @property
    def failed(self) -> bool:
        """Whether the build is to fail."""
        return self.found.is_exceeded or (self.strict and (self.found.has_warnings or bool(self.skipped)))


type Report = Callable[[Checked], str]

SHOWN = 10
"""Notices of one rule that the text form shows unless it is asked for all."""

SENTENCE_CHARS = 160
_UNPRINTABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_text(checked: Checked) -> str:
    """A table of the limits, the problems by rule, and the verdict on the last line."""
    found = checked.found
    rows = [
        (state.limit, state.used, state.allowed, f"{state.percent:,.1f} %", state.level, _needed_fix(state))
        for state in found.limits
    ]
    size = f"{found.demand.chars:,} characters, {found.demand.tokens:,} tokens"
    lines = [f"{checked.library}: {_count(found.skills, 'skill')}, {size} as a block; {found.kept:,} in the prompt", ""]
    lines += [table(("limit", "used", "allowed", "percent", "", "fix"), rows), ""]
    lines += [f"not read   {where}: {why}" for where, why in checked.skipped]
    lines += _problem_lines(found.problems, show_all=checked.show_all)
    return "\n".join([*lines, _verdict(checked), ""])


def as_json(checked: Checked) -> str:
    """Everything, as one object (docs/cli.md)."""
    found = checked.found
    data: Mapping[str, Any] = {
        "ok": not checked.failed,
        "library": checked.library,
        "skills": found.skills,
        "kept": found.kept,
        "demand": found.demand.to_json(),
        "after": found.after.to_json(),
        "limits": [state.to_json() for state in found.limits],
        "problems": [problem.to_json() for problem in found.problems],
        "skipped": [{"where": where, "why": why} for where, why in checked.skipped],
    }
    return json.dumps(data, ensure_ascii=False) + "\n"


def as_github(checked: Checked) -> str:
    """Workflow commands that annotate the files of a pull request, gravest first, then the verdict as a plain line.

    GitHub shows ten annotations of a level for one step, so a limit comes before the skills it leaves out.
    (docs.github.com, "Workflow commands for GitHub Actions")
    """
    found = checked.found
    lines = []
    for state in found.limits:
        if state.level != "ok":
            level = "error" if state.level == "exceeded" else "warning"
            lines.append(_annotation(level, state.limit, checked.library, f"{_sentence(state)} {state.fix}"))
    for where, why in checked.skipped:
        lines.append(_annotation("warning", "not read", _file(checked.library, where), why))
    for problem in found.problems:
        message = f"{problem.sentence} {problem.fix}".strip()
        file = _file(checked.library, problem.path)
        lines.append(_annotation(problem.level, problem.rule, file, message))
    return "\n".join([*lines, _verdict(checked), ""])


def as_junit(checked: Checked) -> str:
    """One test case a limit and one for each skill with a problem or unread; errors (and, strictly, warnings) fail."""
    found = checked.found
    failing = {"error", "warning"} if checked.strict else {"error"}
    suite = ET.Element("testsuite", name=f"budgeteer check {checked.library}")
    failures = 0
    for state in found.limits:
        case = _case(suite, "limits", state.limit)
        if state.level == "exceeded" or (checked.strict and state.level != "ok"):
            failures += _fail(case, state.limit, f"{_sentence(state)} {state.fix}")
    for where, why in checked.skipped:
        case = _case(suite, "not read", where)
        if checked.strict:
            failures += _fail(case, "not read", why)
        else:
            ET.SubElement(case, "system-out").text = _printable(why)
    for problem in found.problems:
        case = _case(suite, problem.rule, problem.path)
        if problem.level in failing:
            failures += _fail(case, problem.rule, f"{problem.sentence} {problem.fix}".strip())
        else:
            ET.SubElement(case, "system-out").text = _printable(f"{problem.sentence} {problem.fix}".strip())
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failures))
    root = ET.Element("testsuites", tests=str(len(suite)), failures=str(failures))
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


REPORTS: Mapping[str, Report] = {"text": as_text, "json": as_json, "github": as_github, "junit": as_junit}


def _problem_lines(problems: tuple[SkillProblem, ...], *, show_all: bool) -> list[str]:
    lines: list[str] = []
    times: dict[str, int] = {}
    for problem in problems:
        times[problem.rule] = times.get(problem.rule, 0) + 1
        if show_all or problem.level != "notice" or times[problem.rule] <= SHOWN:
            sentence = shortened(f"{problem.sentence} {problem.fix}".strip(), SENTENCE_CHARS)
            lines.append(f"{problem.level:<9}  {problem.path}: {sentence}")
    hidden = sum(
        max(count - SHOWN, 0)
        for rule, count in times.items()
        if all(problem.level == "notice" for problem in problems if problem.rule == rule)
    )
    if hidden and not show_all:
        lines.append(f"{'':<9}  … and {hidden:,} more notices (--all shows them)")
    return [*lines, ""] if lines else []


def _verdict(checked: Checked) -> str:
    found = checked.found
    exceeded = sum(state.level == "exceeded" for state in found.limits)
    errors = sum(problem.level == "error" for problem in found.problems)
    warnings = sum(problem.level == "warning" for problem in found.problems) + len(checked.skipped)
    counts = f"{_count(exceeded, 'limit')} exceeded, {_count(errors, 'error')}, {_count(warnings, 'warning')}"
    return f"{'FAILED' if checked.failed else 'passed'}: {counts}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _needed_fix(state: LimitState) -> str:
    return "" if state.level == "ok" else state.fix


def _sentence(state: LimitState) -> str:
    return f"{state.used:,} {state.unit} against {state.allowed:,} allowed ({state.percent:,.1f} %)."


def _file(library: str, path: str) -> str:
    """Where a file of the library lies as the repository sees it; an archive is one file."""
    return str(Path(library) / path) if Path(library).is_dir() else library


def _annotation(level: str, title: str, file: str, message: str) -> str:
    return f"::{level} file={_property(file)},line=1,title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _case(suite: ET.Element, group: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=f"budgeteer.{group}", name=_printable(name))


def _fail(case: ET.Element, kind: str, message: str) -> int:
    shown = _printable(message)
    ET.SubElement(case, "failure", type=kind, message=shown).text = shown
    return 1


def _printable(text: str) -> str:
    """Without the characters XML 1.0 has no way to write."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)
