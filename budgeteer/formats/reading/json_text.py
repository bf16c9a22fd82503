"""Bounded JSON parsing: depth checked before the recursive parser runs, errors located, bad lines kept apart.

Texts are read by pydantic's parser, which takes a quarter of the time of Python's. It is the stricter one: what it
refuses is read again by Python's, which takes control characters in strings and says what is wrong and where.
"""

from __future__ import annotations

import gc
import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from pydantic_core import CoreSchema, SchemaValidator, core_schema, from_json

from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.progress import Progress
from budgeteer.formats.reading.decoding import Pieces, controls_in, without_surrogates
from budgeteer.formats.reading.limits import DEFAULT_LIMITS

SKIPPED_CHARACTERS = 500
"""How much of a skipped line the report keeps (report.Skipped)."""

PROGRESS_LINES = 500

_EXPECTED = {
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a key",
    "Expecting ':' delimiter": "a colon and a value",
    "Expecting ',' delimiter": "a comma or a closing bracket",
}
"""The parser's messages as the end of a sentence."""
_MENDS = {
    "Expecting value": "Put a value there, or take away the comma before it",
    "Expecting property name enclosed in double quotes": "Write a key in double quotes there",
    "Expecting ':' delimiter": "Put a colon and a value there",
    "Expecting ',' delimiter": "Put a comma or a closing bracket there",
    "Extra data": "End the file there, or write a value a line",
}
"""By the parser's messages, what to do at the place of each."""

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
"""An escape of JSON, or a backslash that begins none."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_BLANK = re.compile(r"[ \t\r\n\ufeff]*")
_DEPTH_BLOCK = 1_000_000
"""Characters whose brackets are counted at a time: each takes some 30 bytes while it is."""

MOST_VALUES = 20_000_000
"""Values of one document. Each takes 60 to 200 bytes of memory once it is read, whatever it takes in the text, and all
are made in one call, during which a worker says nothing to the job's row."""
_MANY_CHARACTERS = 1_000_000
"""Texts of fewer characters are read without a look at how many values they hold."""

_MOST_BROKEN = 1_000
"""Objects over several lines that may be broken before the rest is left."""
_MOST_READ_AGAIN = 4
"""How often the length of a text may be read in vain in objects that are broken, each of which may go on to its end."""
_PASSED_OVER = "not JSON, or cut off: passed over up to the next line that begins with an object"
_NOT_READ_ON = "not JSON, or cut off: nothing behind the beginning of this line was read"

_QUICK_DEPTH = 200
"""Nesting that pydantic's parser surely reads; deeper texts it refuses, arrays at 202 and objects at 201."""

_MORE_ARRAYS = 20
"""How many arrays a text may be put into for a lower limit on depth, before its brackets are counted instead."""

_OBJECT = core_schema.typed_dict_schema({}, extra_behavior="ignore")
_AN_OBJECT = SchemaValidator(_OBJECT)
"""Reads a JSON object by pydantic's parser and makes no values of it, which takes half the time."""

_MARK = secrets.token_hex(12)
_BETWEEN = b'],"%b",[' % _MARK.encode()
"""Put between lines that are parsed together. Nobody can foresee it: of a line that opens what the next one closes, the
two are not taken for two lines."""

_DIGITS = 4_000
"""Digits kept of an integer; Python refuses to read more than 4,300 (its own bound on quadratic work)."""


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One JSON object of a JSONL text, with its 1-based line number; two objects on one line share the number."""

    number: int
    value: Mapping[str, Any]

    @property
    def object(self) -> Mapping[str, Any]:
        """The object for whoever keeps many of them."""
        return self.value


class JsonProblem(Exception):
    """Why a text is not read as JSON, with its place; `too_large` where it may be JSON, of more than can be read."""

    def __init__(
        self, why: str, *, line: int = 0, column: int = 0, cut_off: bool = False, too_large: bool = False
    ) -> None:
        self.why = why
        self.too_large = too_large
        self.line = line
        self.column = column
        self.cut_off = cut_off
        super().__init__(why)


def depth_of(text: str) -> int:
    """The deepest nesting of arrays and objects, brackets inside strings left out; linear and never recursive."""
    bare = _STRING.sub("", text).encode("ascii", "replace")
    deepest = depth = 0
    for start in range(0, len(bare), _DEPTH_BLOCK):
        codes = np.frombuffer(bare, dtype=np.uint8, count=min(_DEPTH_BLOCK, len(bare) - start), offset=start)
        opens = (codes == ord("[")) | (codes == ord("{"))
        closes = (codes == ord("]")) | (codes == ord("}"))
        depths = (opens.astype(np.int64) - closes.astype(np.int64)).cumsum()
        deepest = max(deepest, depth + int(depths.max(initial=0)))
        depth += int(depths[-1])
    return deepest


def parse(text: str, *, depth_limit: int) -> Any:
    """The value of a JSON text.

    Raises:
        JsonProblem: it is not JSON, nested deeper than the limit, or holds more than MOST_VALUES values.
    """
    _check_values(text)
    try:
        with _without_collecting(text):
            return _quick_value(text.encode() if len(text) >= _MANY_CHARACTERS else text, depth_limit)
    except ValueError:
        _check_depth(text, depth_limit)
    try:
        with _without_collecting(text):
            value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _problem(error, text) from None
    except ValueError:
        value = _decode_long_numbers(text)
    except RecursionError:
        raise JsonProblem(_too_deep(depth_limit)) from None
    return _clean(value, text)


def parse_inner(text: str, otherwise: Any) -> Any:
    """The value of a JSON text that stands as a text in a document; `otherwise` where it is none that `parse` reads."""
    try:
        return parse(text, depth_limit=DEFAULT_LIMITS.json_depth)
    except JsonProblem:
        return otherwise


def parse_bytes(raw: bytes, *, depth_limit: int, pieces: Pieces) -> Any:
    """The value of a JSON text in UTF-8; `pieces` count what decoding replaces in it, and its control characters.

    Raises:
        JsonProblem: as parse.
    """
    try:
        return _quick_value(raw, depth_limit)
    except ValueError:
        pieces.controls += controls_in(raw)
        return parse(pieces.text(raw), depth_limit=depth_limit)


def first_value(text: str, *, depth_limit: int) -> tuple[Any, int]:
    """The value a text begins with, and where the rest starts.

    Raises:
        JsonProblem: it does not begin with a JSON value.
    """
    start = _blank_end(text, 0)
    _check_depth(text, depth_limit)
    _check_values(text)
    try:
        with _without_collecting(text):
            value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise _problem(error, text) from None
    except (ValueError, RecursionError):
        raise JsonProblem("a number or nesting that is too long to read") from None
    return _clean(value, text), _blank_end(text, end)


def parse_lines(
    text: str,
    *,
    depth_limit: int,
    progress: Progress | None = None,
    written: str = "",
    stray: list[int] | None = None,
) -> tuple[list[JsonLine], list[Skipped]]:
    """Every object of a JSONL text, and every line that is none, with its number and reason.

    Where `written` has the same lines in another notation, those that are no objects are shown as they stand there.
    `stray` is given the numbers as `objects_on` gives them.
    """
    rows = text.split("\n")
    shown = written.split("\n") if written else rows
    lines: list[JsonLine] = []
    skipped: list[Skipped] = []
    for number, row in enumerate(rows, 1):
        if progress is not None and number % PROGRESS_LINES == 0:
            progress(number, len(rows), "lines")
        objects, problem = objects_on(row, number, depth_limit=depth_limit, stray=stray)
        lines.extend(JsonLine(number, value) for value in objects)
        if problem is not None:
            skipped.append(replace(problem, line=shown[number - 1][:SKIPPED_CHARACTERS]))
    return lines, skipped


def parse_objects(text: str, *, depth_limit: int) -> tuple[list[JsonLine], list[Skipped]]:
    """The objects of a text that writes them one after the other, each over several lines; none of any other text.

    Each has the number of the line it begins on. Commas between them are passed over. Behind an object that cannot be
    read, reading goes on at the next line that begins with one. The first two have to be whole.
    """
    try:
        _check_depth(text, depth_limit)
        _check_values(text)
    except JsonProblem:
        return [], []
    with _without_collecting(text):
        return _objects_apart(text)


def is_within_depth(raw: bytes, *, depth_limit: int) -> bool:
    """Whether JSON in UTF-8 is nested no deeper than the limit."""
    if _brackets(raw) <= depth_limit:
        return True
    try:
        _quick_value(raw, depth_limit)
    except ValueError:
        return depth_of(raw.decode()) <= depth_limit
    return True


def plain_object(raw: bytes, *, depth_limit: int) -> dict[str, Any] | None:
    """The object that a line of UTF-8 is, sooner than `objects_on` tells; None where that has to look closer."""
    try:
        value = _quick_value(raw, depth_limit)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def plain_objects(rows: Sequence[bytes], *, depth_limit: int) -> list[dict[str, Any]] | None:
    """The object that each of several lines of UTF-8 is, in a third of the time of one by one.

    They are parsed as `[[line],"mark",[line]]`, which no other lines come to.

    Returns:
        The objects in order; None where some line has to be looked at closer.
    """
    try:
        parsed = _quick_value(b"[[%b]]" % _BETWEEN.join(rows), depth_limit + 2)
    except ValueError:
        return None
    if len(parsed) != 2 * len(rows) - 1 or parsed.count(_MARK) != len(rows) - 1:
        return None
    found = [held[0] for held in parsed[::2] if len(held) == 1 and isinstance(held[0], dict)]
    return found if len(found) == len(rows) else None


def are_plain_objects(rows: Sequence[bytes], *, depth_limit: int) -> bool:
    """Whether each of several lines of UTF-8 is an object, and none has to be looked at closer; they are not kept."""
    if depth_limit < _QUICK_DEPTH:
        return plain_objects(rows, depth_limit=depth_limit) is not None
    try:
        for row in rows:
            _AN_OBJECT.validate_json(row)
    except ValueError:
        return False
    return True


def plain_members(raw: bytes, count: int, *, is_object: bool, depth_limit: int) -> list[Any] | dict[str, Any] | None:
    """Members of a list or object that stand one behind the other.

    Args:
        raw: UTF-8, with the commas between them and without the brackets around.
        count: how many there are.
        is_object: whether they are members of an object.
        depth_limit: the deepest nesting within one.

    Returns:
        The values, those of an object by their keys; None where they have to be looked at one by one.
    """
    try:
        found: Any = _quick_value(b"{%b}" % raw if is_object else b"[%b]" % raw, depth_limit + 1)
    except ValueError:
        return None
    return found if len(found) == count else None


def marks_of_members(raw: bytes, count: int, *, is_object: bool, depth_limit: int) -> list[Any] | dict[str, Any] | None:
    """Members as `plain_members` gives them, an empty object in the place of each, in a third to half of the time.

    None where one of them is no object, too.
    """
    arrays = _QUICK_DEPTH - depth_limit  # as `_quick_value` has it for these members in their brackets
    if not 0 < arrays <= _MORE_ARRAYS:
        return None
    before, behind = (b"{", b"}") if is_object else (b"[", b"]")
    text = b"%b%b%b%b%b" % (b"[" * arrays, before, raw, behind, b"]" * arrays)
    try:
        found = _objects_within(arrays, is_object=is_object).validate_json(text)
        for _ in range(arrays):
            (found,) = found  # a ValueError of members that close the list around them and open another
    except ValueError:
        return None
    return found if len(found) == count else None


@lru_cache(maxsize=2 * _MORE_ARRAYS)
def _objects_within(arrays: int, *, is_object: bool) -> SchemaValidator:
    """Reads an object or a list of objects inside so many arrays, and makes no values of these."""
    schema: CoreSchema = core_schema.dict_schema(None, _OBJECT) if is_object else core_schema.list_schema(_OBJECT)
    for _ in range(arrays):
        schema = core_schema.list_schema(schema)
    return SchemaValidator(schema)


def objects_on(
    row: str, number: int, *, depth_limit: int, stray: list[int] | None = None
) -> tuple[list[dict[str, Any]], Skipped | None]:
    """The JSON objects of one line (its number counts from 1), and why something on it is none.

    Of a line that is JSON but for backslashes that begin no escape, as programs leave them that mask addresses or paste
    paths, those are read as backslashes, and its number is added to `stray`.
    """
    if not row or row.isspace():
        return [], None
    values, problem = _values_on(row, depth_limit)
    kept = row if problem is None else _ESCAPE.sub(_kept_escape, row)
    if kept != row:
        others, other_problem = _values_on(kept, depth_limit)
        if other_problem is None:
            values, problem = others, None
            stray = [] if stray is None else stray
            stray.append(number)
    objects = [value for value in values if isinstance(value, dict)]
    if problem is None and len(objects) < len(values):
        other = next(value for value in values if not isinstance(value, dict))
        problem = f"a JSON {json_type(other)}, not an object"
    return objects, None if problem is None else Skipped(f"line {number}", problem, row[:SKIPPED_CHARACTERS])


def stray_sentences(stray: Sequence[int]) -> tuple[str, ...]:
    """What the report says of lines with backslashes that begin no escape."""
    return (f"Lines with backslashes that begin no escape, read as backslashes: {len(stray):,}",) if stray else ()


def json_type(value: object) -> str:
    """The JSON name of a value's type: object, array, string, number, true or false, null."""
    match value:
        case dict() | Mapping():
            return "object"
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "true or false"
        case None:
            return "null"
        case _:
            return "number"


def refuse(problem: JsonProblem, *, where: str = "") -> FormatError:
    """The problem as the error a person reads."""
    place = f"line {problem.line}, column {problem.column}" if problem.line else ""
    at = ": ".join(part for part in (where, place) if part)
    if problem.cut_off:
        return FormatError(
            f"The JSON is cut off: {problem.why}", where=at, mend="Export or copy the file again, to its end"
        )
    if problem.too_large:
        return FormatError(
            f"The JSON is too large: {problem.why}", where=at, mend="Split the file, or write it as JSONL"
        )
    mend = _MENDS.get(problem.why, "Mend the file at that place")
    return FormatError(f"This is not valid JSON: {problem.why}", where=at, mend=mend)


def _values_on(row: str, depth_limit: int) -> tuple[list[Any], str | None]:
    """The JSON values of one line, glued ones apart, and what stopped the reading."""
    try:
        return [parse(row, depth_limit=depth_limit)], None
    except JsonProblem as problem:
        if not problem.why.startswith("Extra data"):
            return [], _said(problem)
    values: list[Any] = []
    suspicious = _SURROGATE.search(row) is not None
    at = _blank_end(row, 0)
    while at < len(row):
        try:
            value, end = _DECODER.raw_decode(row, at)
        except json.JSONDecodeError as error:
            return values, _said(_problem(error, row))
        except (ValueError, RecursionError):
            return values, "a number or nesting that is too long to read"
        at = _blank_end(row, end)
        if at < len(row) and row[at] not in "{[":
            return values, f"{len(row) - at:,} characters after the end of a JSON value"
        values.append(_without_surrogates(value) if suspicious else value)
    return values, None


def _objects_apart(text: str) -> tuple[list[JsonLine], list[Skipped]]:
    """What `parse_objects` gives of a text within the limits."""
    found: list[JsonLine] = []
    skipped: list[Skipped] = []
    clean = _without_surrogates if _SURROGATE.search(text) else dict[str, Any]
    at = _blank_end(text, 0)
    line = 1 + text.count("\n", 0, at)
    in_vain = 0
    while at < len(text):
        value, behind = _object_at(text, at)
        if value is not None:
            found.append(JsonLine(line, clean(value)))
        elif len(found) < 2:
            return [], []
        else:
            in_vain += behind - at
            is_read_on = len(skipped) < _MOST_BROKEN and in_vain < len(text) * _MOST_READ_AGAIN
            behind = text.find("\n{", at) + 1 if is_read_on else 0
            why = _PASSED_OVER if behind else _NOT_READ_ON
            behind = behind or len(text)
            skipped.append(Skipped(f"line {line}", why, text[at:behind][:SKIPPED_CHARACTERS]))
        line += text.count("\n", at, behind)
        at = behind
    return (found, skipped) if len(found) > 1 else ([], [])


def _object_at(text: str, at: int) -> tuple[dict[str, Any] | None, int]:
    """The object at a place, and where the rest starts, behind a comma too; or None, and how far it was read."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        return None, error.pos
    except (ValueError, RecursionError):
        return None, len(text)
    behind = _blank_end(text, end)
    behind = _blank_end(text, behind + 1) if text[behind : behind + 1] == "," else behind
    return (value if isinstance(value, dict) else None), behind


def _kept_escape(found: re.Match[str]) -> str:
    return found.group() if len(found.group()) > 1 else "\\\\"


def _said(problem: JsonProblem) -> str:
    place = f" (column {problem.column})" if problem.column else ""
    return f"cut off: {problem.why}{place}" if problem.cut_off else f"not JSON: {problem.why}{place}"


def _blank_end(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _too_deep(depth_limit: int) -> str:
    return f"it is nested deeper than the limit on JSON depth, {depth_limit}"


def _quick_value(text: str | bytes, depth_limit: int) -> Any:
    """The value of a text that pydantic's parser reads, surely within the limit on depth.

    Raises:
        ValueError: it is no JSON, or has to be looked at more closely: by its depth, a control character in a string, a
            lone surrogate or a number of thousands of digits.
    """
    if depth_limit < _QUICK_DEPTH - _MORE_ARRAYS:
        if _brackets(text) > depth_limit:
            raise ValueError("its depth is not known")
        return from_json(text, cache_strings="keys")
    # Inside more arrays, the parser's own limit is no higher than ours; that is sooner done than counting brackets.
    for _ in range(_QUICK_DEPTH - depth_limit):
        text = f"[{text}]" if isinstance(text, str) else b"[%b]" % text
    (value,) = from_json(f"[{text}]" if isinstance(text, str) else b"[%b]" % text, cache_strings="keys")
    for _ in range(_QUICK_DEPTH - depth_limit):
        (value,) = value
    return value


def _brackets(text: str | bytes) -> int:
    if isinstance(text, str):
        return text.count("[") + text.count("{")
    return text.count(b"[") + text.count(b"{")


def _check_depth(text: str, depth_limit: int) -> None:
    if _brackets(text) <= depth_limit:
        return
    if depth_of(text) > depth_limit:
        raise JsonProblem(_too_deep(depth_limit))


def _check_values(text: str) -> None:
    if len(text) < _MANY_CHARACTERS or _commas_and_brackets(text) < MOST_VALUES:
        return
    bare = _STRING.sub("", text)
    count = 1 + _commas_and_brackets(bare) - bare.count("[]") - bare.count("{}")
    if count > MOST_VALUES:
        raise JsonProblem(f"it holds {count:,} values; at most {MOST_VALUES:,} can be read at once", too_large=True)


def _commas_and_brackets(text: str) -> int:
    """How many values a JSON text can hold inside its outermost: each follows a comma or an opening bracket."""
    return text.count(",") + text.count("[") + text.count("{")


@contextmanager
def _without_collecting(text: str) -> Iterator[None]:
    """Keep the garbage collector from walking through a large document again and again while it is built."""
    if len(text) < _MANY_CHARACTERS or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _problem(error: json.JSONDecodeError, text: str) -> JsonProblem:
    """Python's error as ours; an error at the very end of the text, or in an open string, is a cut."""
    in_string = error.msg.startswith("Unterminated string")
    if in_string:
        why = "it ends inside the string that begins there"
    elif error.pos >= len(text.rstrip()):
        why = f"it ends where {_EXPECTED.get(error.msg, 'more')} should follow"
    else:
        return JsonProblem(error.msg, line=error.lineno, column=error.colno)
    return JsonProblem(why, line=error.lineno, column=error.colno, cut_off=True)


def _clean(value: Any, text: str) -> Any:
    """The value without lone surrogates, which no store and no tokenizer takes."""
    return _without_surrogates(value) if _SURROGATE.search(text) else value


def _without_surrogates(value: Any) -> Any:
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case _:
            return value


def _long_integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS else digits


def _decode_long_numbers(text: str) -> Any:
    """Read again with integers of thousands of digits kept as text."""
    try:
        return json.loads(text, parse_int=_long_integer, strict=False)
    except json.JSONDecodeError as error:
        raise _problem(error, text) from None
    except RecursionError:
        raise JsonProblem("nesting that is too deep to read") from None


_DECODER = json.JSONDecoder(strict=False)
