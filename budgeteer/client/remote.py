"""The functions of the Python API at a dashboard: pack a request there, upload files, open and pack workspaces."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from budgeteer.client.connection import Connection, RemoteError
from budgeteer.client.slices import FileSlice

WAIT_SECONDS: Final = 600.0
"""How long a job is waited for before that is an error."""

_LOOK_EVERY_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class RemotePackedRequest:
    """A request body that a dashboard packed; `packing` is the ledger as `budgeteer pack --json` prints it."""

    body: dict[str, Any]
    packing: dict[str, Any]
    provider: str

    @property
    def tokens(self) -> int:
        """Input tokens of the body, as counted."""
        return int(self.packing["total"]["tokens"])


@dataclass(slots=True)
class RemoteWorkspace:
    """A workspace of a dashboard; `data` is what the API answers of it."""

    remote: Remote
    data: dict[str, Any] = field(repr=False)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.data["id"])

    @property
    def config(self) -> dict[str, Any]:
        """The whole configuration that it is packed with."""
        return dict(self.data["config"])

    @property
    def url(self) -> str:
        """Its page."""
        return str(self.data["url"])

    def packing(self, *, decisions: bool = True, provider: str | None = None) -> dict[str, Any]:
        """Its packing, in the shape of `budgeteer pack --json`, once its sources are imported and counted.

        Raises:
            RemoteError: it cannot be packed, or its sources took longer than WAIT_SECONDS.
        """
        parameters = {"detail": "full" if decisions else "figures", **({"provider": provider} if provider else {})}
        return self.remote.when_ready(f"/workspaces/{self.id}/preview", parameters)

    def request(self, provider: str | None = None) -> dict[str, Any]:
        """The packed prompt as a request body of a provider, by default the model's own.

        Raises:
            RemoteError: as `packing`.
        """
        return self.remote.when_ready(f"/workspaces/{self.id}/request", {"provider": provider} if provider else {})

    def configure(self, values: Mapping[str, Any] | None = None, *, reset: Sequence[str] = ()) -> None:
        """Set values by path ("history.maxTokens") and put others back to the preset's; all of it, or nothing.

        Raises:
            RemoteError: a path or a value cannot be used.
        """
        body = {"set": dict(values or {}), "reset": list(reset)}
        self.data = self.remote.connection.json("PATCH", f"/workspaces/{self.id}", json=body) or self.data

    def share(self, *, title: str = "", content: str = "numbers", days: int | None = None) -> dict[str, Any]:
        """Share it as it stands now; what the API answers of the report, its link at `url`.

        Without `days` the link is good for as long as the dashboard's own form proposes.

        Raises:
            RemoteError: it cannot be packed.
        """
        body: dict[str, Any] = {"title": title, "content": content}
        if days is not None:
            body["days"] = days
        shared: dict[str, Any] = self.remote.connection.json("POST", f"/workspaces/{self.id}/reports", json=body)
        return shared

    def delete(self) -> None:
        """Delete it; its sources stay."""
        self.remote.connection.send("DELETE", f"/workspaces/{self.id}")


@dataclass(slots=True)
class RemoteEvaluation:
    """An evaluation of a collection at a dashboard; `data` is what the API answers of it."""

    remote: Remote
    data: dict[str, Any] = field(repr=False)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.data["id"])

    @property
    def state(self) -> str:
        """Where it stood when it was last read: waiting, running, done, stopped or cancelled."""
        return str(self.data["state"])

    def refresh(self) -> None:
        """Read where it stands now."""
        self.data = self.remote.connection.json("GET", f"/evaluations/{self.id}")

    def figures(self) -> dict[str, Any]:
        """What it found, in the shape of `budgeteer evaluate --json`, once it is done.

        Raises:
            RemoteError: it has stopped or was cancelled, or took longer than WAIT_SECONDS.
        """
        self.remote.wait_for(self.refresh, lambda: self.state not in {"queued", "waiting", "running"})
        if self.data["figures"] is None:
            error = self.data["error"] or {"what": f"the evaluation was {self.state}", "hint": "Evaluate it again"}
            raise RemoteError(str(error["what"]), mend=str(error["hint"]))
        return dict(self.data["figures"])

    def cancel(self) -> None:
        """Call it off; what is done of it is kept."""
        self.data = self.remote.connection.json("POST", f"/evaluations/{self.id}/cancel", json={}) or self.data


class Remote:
    """A dashboard, as `budgeteer.connect` gives it; close it when done, or use it in a `with`."""

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.connection = connection
        self._clock = clock
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self.connection.close()

    def account(self) -> dict[str, Any]:
        """Whom the token speaks for: `name`, `role`, and `token` with its scopes and last day."""
        found: dict[str, Any] = self.connection.json("GET", "/me")
        return found

    def pack_request(
        self, body: Mapping[str, Any], config: Mapping[str, Any] | None = None, *, provider: str | None = None
    ) -> RemotePackedRequest:
        """Pack a request body into its budget, as `budgeteer.pack_request` does; the dashboard keeps nothing of it.

        Raises:
            RemoteError: it cannot be packed, or made to fit; the error says why.
        """
        sent = {"request": dict(body), "config": dict(config or {}), "provider": provider}
        found = self.connection.json("POST", "/pack", json=sent)
        return RemotePackedRequest(found["request"], found["packing"], found["provider"])

    def load(self, *paths: Path | str, name: str = "") -> RemoteWorkspace:
        """Upload files and open a workspace over them.

        Raises:
            RemoteError: a file cannot be read or was refused.
        """
        sources = [self.upload(path)["id"] for path in paths]
        return self.new_workspace(sources, name=name)

    def new_workspace(
        self, sources: Sequence[str] = (), *, name: str = "", changes: Mapping[str, Any] | None = None
    ) -> RemoteWorkspace:
        """Open a workspace over sources that are there, with these changes of the default preset.

        Raises:
            RemoteError: a source or a change cannot be used.
        """
        body = {"name": name, "sources": list(sources), "changes": dict(changes or {})}
        return RemoteWorkspace(self, self.connection.json("POST", "/workspaces", json=body))

    def workspace(self, workspace_id: str) -> RemoteWorkspace:
        """The workspace of that id.

        Raises:
            RemoteError: there is none, or it is not yours.
        """
        return RemoteWorkspace(self, self.connection.json("GET", f"/workspaces/{workspace_id}"))

    def workspaces(self) -> Iterator[dict[str, Any]]:
        """Every workspace of the account, newest first."""
        return self._listed("/workspaces")

    def new_collection(self, sources: Sequence[str] = (), *, name: str = "") -> dict[str, Any]:
        """Make a collection of sources that are there; what the API answers of it.

        Raises:
            RemoteError: a source is not there.
        """
        body = {"name": name, "sources": list(sources)}
        made: dict[str, Any] = self.connection.json("POST", "/collections", json=body)
        return made

    def collections(self) -> Iterator[dict[str, Any]]:
        """Every collection of the account, newest first."""
        return self._listed("/collections")

    def evaluate(
        self, collection_id: str, configs: Sequence[Mapping[str, Any]], *, replay_sessions: bool = False
    ) -> RemoteEvaluation:
        """Evaluate a collection under configurations, each `{name, preset, changes, model}` with all of it optional.

        Raises:
            RemoteError: a configuration cannot be used, or sources are still being imported.
        """
        body = {"configs": [dict(one) for one in configs], "replaySessions": replay_sessions}
        begun = self.connection.json("POST", f"/collections/{collection_id}/evaluations", json=body)
        return RemoteEvaluation(self, begun)

    def wait_for(self, look: Callable[[], None], is_done: Callable[[], bool]) -> None:
        """Look again and again until it is done.

        Raises:
            RemoteError: it took longer than WAIT_SECONDS.
        """
        self._until(look, lambda _nothing: is_done())

    def upload(self, path: Path | str, *, as_format: str = "", size_bytes: int | None = None) -> dict[str, Any]:
        """Upload a file, or its first bytes; what the API answers of the source. The same bytes are the same source.

        Raises:
            RemoteError: the file cannot be read, or was refused.
        """
        place = Path(path)
        with _slice_of(place, 0, size_bytes) as content:
            files = {"file": (place.name, content, "application/octet-stream")}
            made: dict[str, Any] = self.connection.json("POST", "/sources", files=files, data={"format": as_format})
        return made

    def append(self, source: Mapping[str, Any], path: Path | str, *, size_bytes: int | None = None) -> dict[str, Any]:
        """Send what stands in a file behind what a source holds, up to `size_bytes` of the file.

        Gives the source as it is now; the one that was given where the token may not read it.

        Raises:
            RemoteError: the source does not hold the beginning of the file (status 409), or the rest was refused.
        """
        place = Path(path)
        with _slice_of(place, int(source["sizeBytes"]), size_bytes) as content:
            files = {"file": (place.name, content, "application/octet-stream")}
            known = {"offset": str(source["sizeBytes"]), "sha256": source["sha256"]}
            grown: dict[str, Any] | None = self.connection.json(
                "POST", f"/sources/{source['id']}/append", files=files, data=known
            )
        return dict(source) if grown is None else grown

    def source(self, source_id: str) -> dict[str, Any]:
        """What the API answers of a source.

        Raises:
            RemoteError: there is none, or it is not yours.
        """
        found: dict[str, Any] = self.connection.json("GET", f"/sources/{source_id}")
        return found

    def sources(self) -> Iterator[dict[str, Any]]:
        """Every source of the account, newest first."""
        return self._listed("/sources")

    def items(self, source_id: str) -> Iterator[dict[str, Any]]:
        """Every item that was read from a source: `number` and `item`."""
        return self._listed(f"/sources/{source_id}/items")

    def content(self, source_id: str) -> bytes:
        """The original file of a source."""
        return self.connection.send("GET", f"/sources/{source_id}/content").content

    def imported(self, source_id: str) -> dict[str, Any]:
        """A source once its import has ended, well or not.

        Raises:
            RemoteError: it took longer than WAIT_SECONDS.
        """
        return self._until(lambda: self.source(source_id), lambda found: found["state"] != "importing")

    def when_ready(self, path: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What an address answers once it answers 200 instead of 202.

        Raises:
            RemoteError: it took longer than WAIT_SECONDS, was refused, or the answer is no JSON.
        """

        def ask() -> tuple[int, dict[str, Any]]:
            answer = self.connection.send("GET", path, params=dict(parameters))
            return answer.status_code, self.connection.read_json(answer)

        return self._until(ask, lambda found: found[0] != 202)[1]

    def _listed(self, path: str) -> Iterator[dict[str, Any]]:
        cursor: str | None = ""
        while cursor is not None:
            page = self.connection.json("GET", path, params={"cursor": cursor, "limit": 100})
            yield from page["items"]
            cursor = page["next"]

    def _until[T](self, ask: Callable[[], T], is_done: Callable[[T], bool]) -> T:
        end = self._clock() + WAIT_SECONDS
        while not is_done(found := ask()):
            if self._clock() > end:
                what = f"the dashboard has not finished within {WAIT_SECONDS / 60:.0f} minutes"
                raise RemoteError(what, mend="See whether its workers run, and ask again")
            self._sleep(_LOOK_EVERY_SECONDS)
        return found


def _slice_of(path: Path, start: int, stop: int | None) -> FileSlice:
    try:
        return FileSlice(path, start, path.stat().st_size if stop is None else stop)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise RemoteError(
            f"The file cannot be read: {why}", where=str(path), mend="Check its name and rights"
        ) from None
