"""What `budgeteer push` does with its files: push each, wait for the imports, put them into a workspace, look again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from budgeteer.cli.output.terminal import complain
from budgeteer.client import pushed_files
from budgeteer.client.connection import RemoteError
from budgeteer.client.growing import GrowingFile, Push, PushKind
from budgeteer.client.remote import Remote

#: The answers to which trying again is no use: the token is not good, or was not made for this.
_FINAL = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class PushOptions:
    """The options of `push` beside those of watching."""

    url: str = ""
    as_format: str = ""
    name: str = ""
    workspace: str = ""
    as_json: bool = False


class Pusher:
    """The files of one run; `sleep` waits between two looks."""

    def __init__(
        self,
        remote: Remote,
        paths: Sequence[Path],
        options: PushOptions,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._remote = remote
        self._options = options
        self._sleep = sleep
        self._workspace = options.workspace
        self._seen: dict[Path, tuple[int, int]] = {}
        url = remote.connection.url
        self._files = [
            GrowingFile(remote, path, as_format=options.as_format, source_id=pushed_files.source_of(url, path))
            for path in paths
        ]

    def push_all(self, *, whole_lines: bool) -> None:
        """Push every file once, and put what is new into the workspace.

        Raises:
            RemoteError: a file cannot be read, or the dashboard refused it.
        """
        for file in self._files:
            self._note(file)
            self._push(file, whole_lines=whole_lines)
        self._use()

    def watch(self, *, every_seconds: float) -> None:
        """Look at the files again and again, and send what was added; until Ctrl+C.

        What passes by itself (a dashboard that is away) is said and tried again.

        Raises:
            RemoteError: the token is not good any more.
        """
        click.echo(f"Watching {len(self._files)} files every {every_seconds:g} s; Ctrl+C ends it.", err=True)
        while True:
            self._sleep(every_seconds)
            for file in self._files:
                if self._note(file):
                    self._try(file)

    def _try(self, file: GrowingFile) -> None:
        before = file.source_id
        try:
            self._push(file, whole_lines=True)
        except RemoteError as error:
            if error.status in _FINAL:
                raise
            self._seen.pop(file.path, None)
            complain(error.sentence)
            return
        if file.source_id != before:
            self._use()

    def _push(self, file: GrowingFile, *, whole_lines: bool) -> None:
        push = file.push(whole_lines=whole_lines)
        if push is None:
            if not self._options.as_json:
                click.echo(f"{file.path}: nothing to send yet")
            return
        pushed_files.remember(self._remote.connection.url, file.path, file.source_id)
        source = push.source if push.kind is PushKind.UNCHANGED else self._remote.imported(file.source_id)
        click.echo(json.dumps(_as_json(file, push, source)) if self._options.as_json else _line(file, push, source))

    def _use(self) -> None:
        """Put the files' sources into the workspace, which is made on the first need."""
        pushed = [file.source_id for file in self._files if file.source_id]
        if not pushed or not (self._workspace or self._options.name):
            return
        if not self._workspace:
            workspace = self._remote.new_workspace(pushed, name=self._options.name)
            self._workspace = workspace.id
        else:
            workspace = self._remote.workspace(self._workspace)
            used = [source["id"] for source in workspace.data["sources"]]
            new = [source for source in pushed if source not in used]
            if not new:
                return
            self._remote.connection.json("PATCH", f"/workspaces/{workspace.id}", json={"sources": [*used, *new]})
        if not self._options.as_json:
            click.echo(f"Workspace {workspace.data['name']}: {workspace.url}")

    def _note(self, file: GrowingFile) -> bool:
        """Look at size and time of a file; whether either is another than at the last look."""
        try:
            found = file.path.stat()
        except OSError:
            return True  # the push says why
        now = (found.st_size, found.st_mtime_ns)
        is_new = self._seen.get(file.path) != now
        self._seen[file.path] = now
        return is_new


def _line(file: GrowingFile, push: Push, source: dict[str, Any]) -> str:
    done = {
        PushKind.UPLOADED: f"{push.sent_bytes:,} bytes sent as a new source",
        PushKind.APPENDED: f"{push.sent_bytes:,} new bytes sent",
        PushKind.UNCHANGED: "nothing new",
    }[push.kind]
    return f"{file.path}: {done}; {_read_as(source)}; {source['url']}"


def _read_as(source: dict[str, Any]) -> str:
    if source["error"]:
        error = source["error"]
        return f"not read: {error['what']}"
    found = [f"{count:,} {what}" for what, count in source["counts"].items() if isinstance(count, int) and count]
    return f"{source['format']}, {', '.join(found)}" if found else str(source["format"])


def _as_json(file: GrowingFile, push: Push, source: dict[str, Any]) -> dict[str, Any]:
    return {"file": str(file.path), "done": push.kind.value, "sentBytes": push.sent_bytes, "source": source}
