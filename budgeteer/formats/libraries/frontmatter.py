"""YAML front matter, parsed safely (no tags, no aliases, bounded size) and separated from the body."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import yaml

from budgeteer.formats.reading.limits import Limits, readable_bytes

_FENCE = re.compile(r"\A(?:[ \t]*\r?\n)*---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_PLAIN_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp")


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


class _Loader(yaml.SafeLoader):
    """YAML's safe loader without aliases (a bomb needs them) that keeps impossible numbers and dates as text."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]  # its stub has no types
            raise yaml.composer.ComposerError(None, None, "aliases (`*name`) are not read", event.start_mark)
        return super().compose_node(parent, index)

    def construct_or_keep(self, node: yaml.ScalarNode) -> Any:
        """The scalar's value, its text when no such number or date exists, or none that can be written in decimals."""
        try:
            value = yaml.SafeLoader.yaml_constructors[node.tag](self, node)
            if type(value) is int:
                str(value)  # Python refuses to write one of more than some 4,300 digits; 0x… reads any number of them
            return value
        except (ValueError, OverflowError, AttributeError, KeyError):
            return node.value


for _tag in _PLAIN_TAGS:
    _Loader.add_constructor(_tag, _Loader.construct_or_keep)


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
    values, written = _load(source, first_line=text.count("\n", 0, opened.end()) + 1)
    return FrontMatter(values, written, body, present=True)


def yaml_values(source: str, *, what: str) -> dict[str, Any]:
    """The keys and values of a text that is YAML, as plain data; `what` it is begins the clause of a problem.

    Raises:
        FrontMatterProblem: it is not YAML of keys and values.
    """
    return _load(source, first_line=1, what=what)[0]


def _load(source: str, *, first_line: int, what: str = "the front matter") -> tuple[dict[str, Any], dict[str, str]]:
    try:
        loader = _Loader(source)
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            raise FrontMatterProblem(f"{what} is not YAML of keys and values")
        written = {
            key.value: value.value
            for key, value in node.value
            if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
        }
        values = loader.construct_document(node)
        return {str(key): _plain(value) for key, value in values.items()}, written
    except yaml.YAMLError as error:
        raise FrontMatterProblem(f"{what} is not YAML: {_said(error, first_line)}") from None
    except RecursionError:
        raise FrontMatterProblem(f"{what} is nested too deep") from None
    except (ValueError, TypeError) as error:
        raise FrontMatterProblem(f"{what} is not usable YAML: {error}") from None


def _said(error: yaml.YAMLError, first_line: int) -> str:
    """The parser's problem with its line in the whole file."""
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "it cannot be read"
        place = f" (line {mark.line + first_line}, column {mark.column + 1})" if mark else ""
        return f"{what}{place}"
    if isinstance(error, yaml.reader.ReaderError):
        return str(error.reason)
    return "it cannot be read"


def _plain(value: Any) -> Any:
    """The value as data JSON has: dates as ISO text, sets as lists, bytes as text, keys as text."""
    match value:
        case datetime() | date():
            return value.isoformat()
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple() | set():
            return [_plain(item) for item in value]
        case bytes():
            return value.decode("utf-8", "replace")
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value
