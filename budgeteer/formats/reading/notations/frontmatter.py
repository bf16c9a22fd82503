"""YAML front matter, parsed safely (no tags, no aliases, bounded size) and separated from the body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from budgeteer.formats.reading.limits import Limits, readable_bytes
from budgeteer.formats.reading.notations.yaml_text import YamlProblem, load_yaml

_FENCE = re.compile(r"\A(?:[ \t]*\r?\n)*---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)

_PATTERN = re.compile(r"^([ \t]*(?:[\w-]+[ \t]*:|-)[ \t]+)(\*(?:[*/.{][^'\r\n]*)?)(?=[ \t]*\r?$)", re.MULTILINE)
"""A pattern of files as editors write it, without quotes (`globs: **/*.ts`); YAML takes its star for an alias."""

_PLAIN = re.compile(r"^((?!name:)[\w-]+:[ \t]+)([^\s'\"|>\[{&*!#%@`][^\r\n]*)", re.MULTILINE)
"""A text on one line that YAML may not read without quotes (`about: Prices: what they were`); names have no colon."""


class FrontMatterProblem(Exception):
    """Why a file's front matter cannot be used, one clause."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file split in two.

    Attributes:
        values: the front matter as plain data (dates as ISO text), {} when the file has none.
        written: its scalar values exactly as they stand in the file (`yes` stays `yes`).
        body: the text under it; the whole text when there is none.
        present: whether there was a front matter at all.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    present: bool = False


def split_front_matter(text: str, limits: Limits) -> FrontMatter:
    """Split a text into front matter and body; a text that does not begin with `---` has none.

    Raises:
        FrontMatterProblem: it has no end, is over the limit, or is not YAML of keys and values.
    """
    opened = _FENCE.match(text)
    if opened is None:
        return FrontMatter(body=text)
    closed = _END.search(text, opened.end())
    if closed is None:
        raise FrontMatterProblem("the front matter has no closing `---`")
    source = text[opened.end() : closed.start()]
    if len(source.encode()) > limits.front_matter_bytes:
        raise FrontMatterProblem(
            f"too large: the front matter has {readable_bytes(len(source.encode()))}; the limit on front matter is "
            f"{readable_bytes(limits.front_matter_bytes)}"
        )
    body = text[closed.end() :].removeprefix("\r").removeprefix("\n")
    values, written = _load_as_meant(_PATTERN.sub(r"\1'\2'", source), text.count("\n", 0, opened.end()) + 1)
    return FrontMatter(values, written, body, present=True)


def _quoted(line: re.Match[str]) -> str:
    text = line[2].rstrip()
    return f"{line[1]}'{text.replace("'", "''")}'" if ": " in text or text.endswith(":") else line[0]


def _load_as_meant(source: str, first_line: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of a front matter; where it is no YAML, with quotes around texts that need them, as agents read it.

    Raises:
        FrontMatterProblem: as split_front_matter.
    """
    try:
        return _load(source, first_line=first_line)
    except FrontMatterProblem:
        quoted = _PLAIN.sub(_quoted, source)
        if quoted == source:
            raise
        try:
            return _load(quoted, first_line=first_line)
        except FrontMatterProblem:
            pass
        raise


def yaml_values(source: str, *, what: str) -> dict[str, Any]:
    """The keys and values of a text that is YAML, as plain data; `what` it is begins the clause of a problem.

    Raises:
        FrontMatterProblem: it is not YAML of keys and values.
    """
    return _load(source, first_line=1, what=what)[0]


def _load(source: str, *, first_line: int, what: str = "the front matter") -> tuple[dict[str, Any], dict[str, str]]:
    try:
        values, node = load_yaml(source, what=what, first_line=first_line)
    except YamlProblem as problem:
        raise FrontMatterProblem(str(problem)) from None
    if node is None:
        return {}, {}
    if not isinstance(node, yaml.MappingNode):
        raise FrontMatterProblem(f"{what} is not YAML of keys and values")
    written = {
        key.value: value.value
        for key, value in node.value
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
    }
    return values, written
