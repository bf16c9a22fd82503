"""YAML as the data that JSON has, loaded safely (no tags) and bounded; and conversations and recordings that are YAML.

What only the name says is YAML may be data with conversations anywhere in it, as sets of test cases are.

Front matter has no aliases (`*name`). Those of a conversation are read as what they stand for, which counts towards the
limit on YAML each time that it is repeated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from itertools import chain, zip_longest
from typing import Any, Final

import yaml

from budgeteer.engine.errors import FormatError
from budgeteer.formats.reading.notations.event_streams import text_of_body

LONGEST_YAML: Final = 1_000_000
"""Characters of YAML that are read: a document of so many takes some seconds. Of others: long_yaml.py."""

_PLAIN_TAGS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp")
_SCALAR_TAGS: Final = ("tag:yaml.org,2002:bool", *_PLAIN_TAGS)
_SPEAKERS: Final = ("role", "from", "speaker", "author", "sender")
_SAID: Final = ("content", "value", "text", "message", "parts", "tool_calls")
_ASKED_OR_TOLD: Final = ("prompt", "question", "query", "instruction", "input", "answer", "response", "output")
_ENDINGS: Final = (".yaml", ".yml")
_HEAD: Final = 65_536
_PREAMBLE: Final = re.compile(r"\A\ufeff?(?:[ \t]*(?:#[^\n]*|%YAML[^\n]*|---[ \t]*)?\r?\n)*+")
_BEGINS: Final = re.compile(
    r"(?:- +)*+(?:&[\w-]+[ \t\r\n]+)?+(?:\{ *)?+(?P<key>[\"']?[A-Za-z_][\w-]*[\"']?)[ \t]*:(?:[ \t\r\n]|\Z)"
)
"""An object, or a list of them, at the first line that holds anything."""
_MESSAGE_KEY: Final = r"(?:^ {{0,8}}(?:- +)*|[{{,] *)[\"']?(?:{keys})[\"']?[ \t]*:(?=[ \t\r\n])"
_SPEAKER_LINE: Final = re.compile(_MESSAGE_KEY.format(keys="|".join(_SPEAKERS)), re.MULTILINE)
_SAID_LINE: Final = re.compile(_MESSAGE_KEY.format(keys="|".join(_SAID)), re.MULTILINE)
_PROMPT_LINES: Final = tuple(re.compile(rf"(?m)^{key}:") for key in ("input_variables", "template"))
"""Keys of a prompt that LangChain saves."""
_CALL_LINE: Final = re.compile(_MESSAGE_KEY.format(keys=r"[\w-]{0,40}(?:function|tool|call)s"), re.MULTILINE)
"""A key of functions, tools or calls, beside a prompt that is to be answered with one."""
_FIRST_LINES: Final = (*_SPEAKERS, *_SAID, "messages", "conversation", "conversations", "history")
"""Keys with which a conversation begins: what then is no YAML was meant to be."""
_RECORDINGS: Final = ("interactions", "http_interactions")
"""Where cassettes keep requests with their answers: vcrpy and go-vcr, and VCR for Ruby."""
_SIDES: Final = ("requests", "responses")
"""Requests and their answers by their places, as LangChain's tests keep what vcrpy recorded.

Source: https://github.com/langchain-ai/langchain, `libs/standard-tests/langchain_tests/conftest.py`, 2026-11.
"""
_CASSETTE_KEYS: Final = (*_RECORDINGS, *_SIDES, "version", "recorded_with")
"""The keys of a cassette, of which one is its first."""
_BINARY: Final = "!!binary"
"""The tag of a body that is kept as base64, in which no key of a request can be seen."""
_MOCKED: Final = ("when", "then")
_MOCKED_BODIES: Final = ("body", "json_body")
"""The request and its answer of each document that httpmock (of Rust) records, and where their bodies stand."""
_RECORDED_LINE: Final = re.compile(rf"^(?:{'|'.join((*_RECORDINGS, *_SIDES, *_MOCKED))}):[ \t]*\r?$", re.MULTILINE)
_TAPE_LINES: Final = tuple(re.compile(rf"^ *(?:- +)?{key}:", re.MULTILINE) for key in ("steps", "kind", "prompt_id"))
"""Keys of the tapes that TapeAgents keeps as YAML."""
_KEYS: Final = frozenset({"messages", "contents", "input", "prompt", "chat_history"})
_ASKED: Final = re.compile(rf'"(?:{"|".join(sorted(_KEYS))})\\?"')
"""A key with which the body of a request to a model is written, also where YAML escapes its quotes."""
_PARSED: Final = "parsed_body"
"""Where the recordings of https://github.com/pydantic/pydantic-ai keep a body as data, 2026-11."""
_PARSED_LINE: Final = re.compile(rf"^ {{1,20}}{_PARSED}:", re.MULTILINE)
_DEPTH: Final = 4
_MOST_SIXTIETHS: Final = 3_000
"""Colons of a number to the base of 60 (`1:30`) above which it has more digits than Python writes (4,300)."""


class YamlProblem(Exception):
    """Why a text cannot be used as YAML, one clause."""


class YamlLoader(yaml.SafeLoader):
    """YAML's safe loader without aliases (a bomb needs them) that keeps impossible numbers and dates as text."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]  # its stub has no types
            raise yaml.composer.ComposerError(None, None, "aliases (`*name`) are not read", event.start_mark)
        return super().compose_node(parent, index)

    def construct_or_keep(self, node: yaml.ScalarNode) -> Any:
        """The scalar's value, its text when no such number or date exists, or none that can be written in decimals."""
        if node.value.count(":") > _MOST_SIXTIETHS:
            return node.value
        try:
            value = yaml.SafeLoader.yaml_constructors[node.tag](self, node)
            if type(value) is int:
                str(value)  # Python refuses to write one of more than some 4,300 digits; 0x… reads any number of them
            return value
        except (ValueError, OverflowError, AttributeError, KeyError):
            return node.value


class RepeatingLoader(YamlLoader):
    """The same with aliases: each stands for what was named before it, as long as all that is not too long."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._sizes: dict[int, int] = {}
        self._repeated = 0

    def compose_document(self) -> yaml.Node | None:
        self._sizes.clear()  # they are known by the nodes' identity, and those of the document before are gone
        return super().compose_document()

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if not self.check_event(yaml.AliasEvent):
            node = yaml.SafeLoader.compose_node(self, parent, index)
            if node is not None:
                self._sizes[id(node)] = _size_of(node, self._sizes)
            return node
        event = self.peek_event()  # type: ignore[no-untyped-call]  # its stub has no types
        named = self.anchors.get(event.anchor)
        if named is not None and id(named) not in self._sizes:
            why = f"the alias `*{event.anchor}` stands within what it repeats"
            raise yaml.composer.ComposerError(None, None, why, event.start_mark)
        self._repeated += 0 if named is None else self._sizes[id(named)]
        if self._repeated > LONGEST_YAML:
            why = f"what aliases repeat comes to more than {LONGEST_YAML:,} characters"
            raise yaml.composer.ComposerError(None, None, why, event.start_mark)
        return yaml.SafeLoader.compose_node(self, parent, index)


def _size_of(node: yaml.Node, sizes: dict[int, int]) -> int:
    """The characters of a node's scalars, and one for each node: as often as they stand there; inner ones are known."""
    if isinstance(node, yaml.SequenceNode):
        return 1 + sum(sizes[id(item)] for item in node.value)
    if isinstance(node, yaml.MappingNode):
        return 1 + sum(sizes[id(key)] + sizes[id(value)] for key, value in node.value)
    return 1 + len(node.value)


for _tag in _PLAIN_TAGS:
    YamlLoader.add_constructor(_tag, YamlLoader.construct_or_keep)
    RepeatingLoader.add_constructor(_tag, RepeatingLoader.construct_or_keep)
RepeatingLoader.add_constructor("!binary", yaml.SafeLoader.yaml_constructors["tag:yaml.org,2002:binary"])
"""Ruby's tag for text that is no ASCII, beside that of YAML (`!!binary`)."""


def load_yaml(
    source: str, *, what: str, first_line: int = 1, texts: Collection[str] = ()
) -> tuple[Any, yaml.Node | None]:
    """The value of a text that is one YAML document, as plain data, and the node it was made of.

    Args:
        source: the text.
        what: what the text is, which begins the clause of a problem.
        first_line: the line that it begins on in its file.
        texts: keys of what is a text as it is written, also where it looks like a number or is `yes`.

    Raises:
        YamlProblem: it is no YAML that can be used.
    """
    with yaml_problems(what, first_line):
        loader = YamlLoader(source)
        node = loader.get_single_node()
        _keep_texts(node, texts)
        return (None if node is None else plain_data(loader.construct_document(node))), node


def load_documents(source: str, *, what: str, texts: Collection[str] = ()) -> list[tuple[int, Any]]:
    """The documents of a YAML text that hold anything, each with the line it begins on; aliases are read.

    Raises:
        YamlProblem: one of them is no YAML that can be used.
    """
    found: list[tuple[int, Any]] = []
    with yaml_problems(what, 1):
        loader = RepeatingLoader(source)
        while loader.check_node():
            node = loader.get_node()
            _keep_texts(node, texts)
            if node is not None and (value := plain_data(loader.construct_document(node))) is not None:
                found.append((node.start_mark.line + 1, value))
    return found


@contextmanager
def yaml_problems(what: str, first_line: int) -> Iterator[None]:
    """Say what is wrong with a text that is no YAML, or none that can be used."""
    try:
        yield
    except yaml.YAMLError as error:
        raise YamlProblem(f"{what} is not YAML: {_said(error, first_line)}") from None
    except RecursionError:
        raise YamlProblem(f"{what} is nested too deep") from None
    except (ValueError, TypeError, AttributeError, LookupError) as error:  # `!!bool maybe`, `!!timestamp noon`
        raise YamlProblem(f"{what} is not usable YAML: {error}") from None


def _keep_texts(node: yaml.Node | None, keys: Collection[str]) -> None:
    """Make texts of the scalars under some keys of a tree of nodes that would be true, a number or a date."""
    waiting = [node] if keys else []
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, yaml.SequenceNode):
            waiting += one.value
        elif isinstance(one, yaml.MappingNode):
            for key, value in one.value:
                if isinstance(value, yaml.ScalarNode) and key.value in keys and value.tag in _SCALAR_TAGS:
                    value.tag = "tag:yaml.org,2002:str"
                waiting.append(value)


def yaml_conversation(text: str, name: str) -> list[tuple[int, Any]]:
    """The documents of a YAML text that holds messages, or requests to models with their answers; none of other texts.

    Each has the line it begins on.

    Raises:
        FormatError: it begins as a conversation does, or is called YAML, and is too long, or no YAML.
    """
    begin = _PREAMBLE.match(text)
    start = begin.end() if begin else 0
    first = _BEGINS.match(text, start)
    head = text[start : start + _HEAD]
    is_recording = bool(_RECORDED_LINE.search(head) and (_may_ask(text) or _PARSED_LINE.search(text)))
    is_tape = all(line.search(head) for line in _TAPE_LINES)
    if first is None or not (is_recording or is_tape or (_SPEAKER_LINE.search(head) and _SAID_LINE.search(head))):
        return []
    is_meant = first["key"].strip("\"'") in _FIRST_LINES or name.lower().endswith(_ENDINGS)
    if len(text) > LONGEST_YAML:
        if not is_meant:
            return []
        what = f"The YAML has {len(text):,} characters; the limit on YAML is {LONGEST_YAML:,}"
        raise FormatError(what, where=name, mend="Give the same conversation as JSON")
    try:
        found = load_documents(text.removeprefix("\ufeff"), what="the conversation", texts=_SAID)
    except YamlProblem as problem:
        if not is_meant:
            return []
        mend = "Mend the file at that place, or give the same conversation as JSON"
        raise FormatError(f"It cannot be read: {problem}", where=name, mend=mend) from None
    other = next((line for line, value in found if not isinstance(value, dict | list)), 0)
    if other and is_meant and len(found) > 1:
        what = "It cannot be read: a document of the conversation is neither an object nor a list"
        raise FormatError(what, where=_at(name, other), mend="Take it away, or give the same conversation as JSON")
    found = [(line, _with_pairs(value)) for line, value in found]
    values = [value for _, value in found]
    is_talk = not other and _holds_message(values[0] if len(values) == 1 else values, _DEPTH)
    return found if is_talk or any(map(_holds_recorded, values)) or any(map(_is_tape, values)) else []


def is_cassette(text: str) -> bool:
    """Whether a text begins as a cassette of requests to models, whose streamed answers may be most of its lines."""
    begin = _PREAMBLE.match(text)
    start = begin.end() if begin else 0
    first = _BEGINS.match(text, start)
    is_meant = first is not None and first["key"] in _CASSETTE_KEYS
    return is_meant and bool(_RECORDED_LINE.search(text, start, start + _HEAD)) and _may_ask(text)


def _may_ask(text: str) -> bool:
    """Whether a recording may hold a request to a model: one that is seen, or bodies that are none until decoded."""
    return bool(_ASKED.search(text)) or _BINARY in text


def _with_pairs(value: Any) -> Any:
    """A cassette of requests and of their answers as one of both, each request with the answer at its place."""
    asked, told = (value.get(side) for side in _SIDES) if isinstance(value, dict) else (None, None)
    if not asked or not told or not isinstance(asked, list) or not isinstance(told, list):
        return value
    pairs = zip_longest(asked, told)
    recorded = [
        {key: one for key, one in zip(("request", "response"), pair, strict=True) if one is not None} for pair in pairs
    ]
    return {**{key: held for key, held in value.items() if key not in _SIDES}, _RECORDINGS[0]: recorded}


def yaml_data(text: str, name: str) -> list[tuple[int, Any]]:
    """The documents of a text that is called YAML and holds nothing but objects and lists; none of any other text.

    Each has the line it begins on. What is too long, or no YAML, is left to be read as text; so is what has no line of
    a speaker with one of what was said, nor one of calls or of a template with its variables, as settings, translations
    and manifests: there `input` and `output` are names of files.
    """
    if not name.lower().endswith(_ENDINGS) or len(text) > LONGEST_YAML:
        return []
    is_prompt = all(line.search(text) for line in _PROMPT_LINES)
    if not (is_prompt or _CALL_LINE.search(text) or (_SPEAKER_LINE.search(text) and _SAID_LINE.search(text))):
        return []
    try:
        found = load_documents(text.removeprefix("\ufeff"), what="the file", texts=(*_SAID, *_ASKED_OR_TOLD))
    except YamlProblem:
        return []
    return found if all(isinstance(value, dict | list) for _, value in found) else []


def _at(name: str, line: int) -> str:
    return f"{name}: line {line}" if name else f"line {line}"


def _holds_message(value: Any, depth: int) -> bool:
    """Whether a value has a list of objects with a speaker and what was said, some keys deep."""
    if not depth:
        return False
    if isinstance(value, dict):
        return any(_holds_message(inner, depth - 1) for inner in value.values())
    if not isinstance(value, list):
        return False
    said = (one for one in value if isinstance(one, dict) and any(isinstance(one.get(key), str) for key in _SPEAKERS))
    return any(any(key in one for key in _SAID) for one in said) or any(
        _holds_message(inner, depth - 1) for inner in value
    )


def _is_tape(value: Any) -> bool:
    """Whether a document is a tape of TapeAgents."""
    steps = value.get("steps") if isinstance(value, dict) else None
    held = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    about = [step.get("metadata") for step in held if isinstance(step.get("kind"), str)]
    return any(isinstance(one, dict) and "prompt_id" in one for one in about)


def _holds_recorded(value: Any) -> bool:
    """Whether a document is a cassette with a request to a model among its recordings, or such a request itself."""
    if not isinstance(value, dict):
        return False
    if all(isinstance(value.get(key), dict) for key in _MOCKED):
        return any(_asks(value["when"].get(key)) for key in _MOCKED_BODIES)
    lists = [held for key in _RECORDINGS if isinstance(held := value.get(key), list)]
    for one in chain.from_iterable(lists):
        request = one.get("request") if isinstance(one, dict) else None
        if not isinstance(request, dict):
            continue
        body = request.get("body")
        if any(map(_asks, (request.get(_PARSED), body.get("string") if isinstance(body, dict) else body))):
            return True
    return False


def _asks(body: Any) -> bool:
    """Whether the body of a request, a text or an object, is one to a model."""
    return bool(_ASKED.search(body)) if isinstance(body, str) else isinstance(body, dict) and not _KEYS.isdisjoint(body)


def _said(error: yaml.YAMLError, first_line: int) -> str:
    """The parser's problem with its line in the whole file."""
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "it cannot be read"
        if isinstance(error, yaml.composer.ComposerError) and error.context:
            what = f"{error.context}, {what}"
        place = f" (line {mark.line + first_line}, column {mark.column + 1})" if mark else ""
        return f"{what}{place}"
    if isinstance(error, yaml.reader.ReaderError):
        return str(error.reason)
    return "it cannot be read"


def plain_data(value: Any) -> Any:
    """The value as data JSON has: dates as ISO text, sets as lists, bytes as text, keys as text."""
    match value:
        case datetime() | date():
            return value.isoformat()
        case dict():
            return {str(key): plain_data(item) for key, item in value.items()}
        case list() | tuple() | set():
            return [plain_data(item) for item in value]
        case bytes():
            return text_of_body(value)
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value
