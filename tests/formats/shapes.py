"""Small files in the shapes people have, written by us: the builders every test of the importers uses."""

from __future__ import annotations

import io
import json
import sqlite3
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import pyarrow as pa
from pyarrow import parquet as parquet_files


def dumps(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def jsonl(*values: object) -> bytes:
    return b"\n".join(dumps(value) for value in values) + b"\n"


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def zipped_with_link(files: Mapping[str, str], link: str, target: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        info = zipfile.ZipInfo(link)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)
    return buffer.getvalue()


def tarred(files: Mapping[str, str], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]  # the mode is a variable
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content.encode())
            info.mtime = 1_700_000_000
            archive.addfile(info, io.BytesIO(content.encode()))
    return buffer.getvalue()


def png(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))


def skill(name: str, description: str, body: str = "Do the thing.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


def call(call_id: str, name: str = "look_up", arguments: str = '{"q":"x"}') -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


OPENAI_CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You answer shortly."},
    {"role": "user", "content": "What is the tide in Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [call("call_a", "tide", '{"city":"Oslo"}')]},
    {"role": "tool", "tool_call_id": "call_a", "name": "tide", "content": "0.4 m"},
    {"role": "assistant", "content": "About 40 cm."},
]

OPENAI_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "tide",
        "description": "The tide at a place",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}

ANTHROPIC_BODY: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 1000,
    "system": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Use tools."}],
    "messages": [
        {"role": "user", "content": "Two tides, please"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Both at once.", "signature": "c2ln"},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "toolu_1", "name": "tide", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "toolu_2", "name": "tide", "input": {"city": "Bergen"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "0.4 m"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "1.1 m"}]},
                {"type": "text", "text": "And compare them."},
            ],
        },
    ],
    "tools": [{"name": "tide", "description": "The tide", "input_schema": {"type": "object"}}],
}


class Session:
    """A Claude Code session being written line by line; each line hangs under the one before it."""

    def __init__(self, *, session: str = "s-1") -> None:
        self.session = session
        self.lines: list[dict[str, Any]] = []
        self.last: str | None = None

    def add(self, kind: str, uuid: str, **more: Any) -> str:
        line: dict[str, Any] = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last,
            "isSidechain": False,
            "sessionId": self.session,
            "timestamp": "2026-02-01T10:00:00.000Z",
            **more,
        }
        self.lines.append(line)
        self.last = uuid
        return uuid

    def user(self, uuid: str, content: Any, **more: Any) -> str:
        return self.add("user", uuid, message={"role": "user", "content": content}, **more)

    def assistant(self, uuid: str, block: Mapping[str, Any], *, message_id: str, **more: Any) -> str:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
        message = {"id": message_id, "role": "assistant", "model": "claude-x", "content": [block], "usage": usage}
        return self.add("assistant", uuid, message=message, **more)

    def result(self, uuid: str, call_id: str, content: Any = "done", **more: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        return self.user(uuid, [block], toolUseResult={"stdout": content}, **more)

    def other(self, kind: str, **more: Any) -> None:
        self.lines.append({"type": kind, "sessionId": self.session, **more})

    def compact(self, uuid: str, summary: str) -> None:
        before = self.last
        self.last = None
        self.add(
            "system",
            f"{uuid}-boundary",
            subtype="compact_boundary",
            logicalParentUuid=before,
            compactMetadata={"trigger": "auto", "preTokens": 170_000},
        )
        self.user(uuid, summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    @property
    def data(self) -> bytes:
        return jsonl(*self.lines)


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def use_block(call_id: str, name: str = "Bash") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {"command": "ls"}}


def recorded_session(requests: int, *, model: str = "claude-sonnet-4-5") -> Session:
    """A session of so many requests, each with what was recorded of it."""
    session = Session()
    session.user("u", "Look around")
    tokens = 1_000
    for number in range(requests):
        session.assistant(f"a{number}", text_block("Looking."), message_id=f"m{number}")
        session.assistant(f"b{number}", use_block(f"c{number}"), message_id=f"m{number}")
        for line in session.lines[-2:]:
            line["message"] |= {"model": model, "usage": {"input_tokens": tokens}}
        result = "a wall and a door " * (number % 5 + 1)
        session.result(f"r{number}", f"c{number}", result)
        tokens += 62 + 5 * (number % 5 + 1)
    return session


def database(tables: Mapping[str, Sequence[Mapping[str, Any]]], *statements: str) -> bytes:
    """An SQLite database of tables with their rows, the first of which has all columns; then statements are run."""
    with closing(sqlite3.connect(":memory:")) as opened:
        for name, rows in tables.items():
            columns = ", ".join(f'"{column}"' for column in rows[0])
            opened.execute(f'CREATE TABLE "{name}" ({columns})')
            marks = ", ".join("?" for _ in rows[0])
            values = [[row.get(column) for column in rows[0]] for row in rows]
            opened.executemany(f'INSERT INTO "{name}" VALUES ({marks})', values)
        opened.commit()
        for statement in statements:
            opened.execute(statement)
        opened.commit()
        return opened.serialize()


def parquet(*rows: dict[str, Any]) -> bytes:
    """A Parquet file of rows."""
    file = io.BytesIO()
    parquet_files.write_table(pa.Table.from_pylist(list(rows)), file)
    return file.getvalue()
