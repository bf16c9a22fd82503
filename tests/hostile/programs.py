"""Hostile uploads and strings by the HTTP API: every operation that takes a file or a text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.hostile.pages import World, looked_at, worked_off
from tests.hostile.served import Client, Jobs, encoded
from tests.hostile.tally import Tally
from tests.hostile.uploads import Upload, talk

WAY: Final = "API"
CREATED: Final = (200, 201)
MOST_IN_AN_ADDRESS: Final = 2_000


def try_upload(tally: Tally, client: Client, jobs: Jobs, upload: Upload, *, reader: Client) -> None:
    """Upload the file, read it back, pack a workspace over it.

    `reader` has a session of the same account, and looks at the source's page: so it is scanned now, and not by a sweep
    that some later text would be blamed for.
    """
    row, label = tally.row(WAY, upload.family), f"{upload.family}: {upload.label}"
    row.tried += 1
    sent = client.upload("/api/v1/sources", "file", upload.file_name, upload.data)
    sent = looked_at(row, sent, f"{label}, upload")
    worked_off(row, jobs, label)
    if sent.status not in CREATED:
        return
    source = json.loads(sent.body)["id"]
    for path in ("", "/items?limit=20"):
        looked_at(row, client.ask("GET", f"/api/v1/sources/{source}{path}"), f"{label}, source{path}")
    looked_at(row, reader.get(f"/sources/{source}/"), f"{label}, page of the source")
    worked_off(row, jobs, label)
    made = client.send("POST", "/workspaces", {"sources": [source], "name": upload.label[:100]})
    made = looked_at(row, made, f"{label}, workspace")
    if made.status not in CREATED:
        return
    workspace = json.loads(made.body)["id"]
    looked_at(row, client.ask("GET", f"/api/v1/workspaces/{workspace}/preview?detail=full"), f"{label}, preview")
    worked_off(row, jobs, label)
    for what in ("preview?detail=full", "request"):
        looked_at(row, client.ask("GET", f"/api/v1/workspaces/{workspace}/{what}"), f"{label}, {what}")


def try_strings(tally: Tally, client: Client, jobs: Jobs, world: World, strings: Mapping[str, Sequence[str]]) -> None:
    """Every string in every field of a document and every parameter."""
    for family, texts in strings.items():
        row = tally.row("API texts", family)
        for text in texts:
            row.tried += 1
            name = f"{family}: {text[:30]!r}"
            for method, path, document in documents(world, text):
                looked_at(row, client.send(method, path, document), f"{name}, {method} {path[:50]}")
            query = encoded(
                dict.fromkeys(("cursor", "limit", "shared", "detail", "provider"), text[:MOST_IN_AN_ADDRESS])
            )
            for path in ("sources", "workspaces", "reports", "collections", "presets", "presets/none", "jobs/none"):
                looked_at(row, client.ask("GET", f"/api/v1/{path}?{query}"), f"{name}, GET {path}")
            worked_off(row, jobs, name)


def documents(world: World, text: str) -> Iterator[tuple[str, str, Any]]:
    """What is sent where."""
    workspace = f"/workspaces/{world.workspace.split('/')[2]}"
    collection = f"/collections/{world.collection.split('/')[2]}"
    run = f"/evaluations/{world.run.split('/')[2]}"
    yield "POST", "/workspaces", {"name": text}
    yield "POST", "/workspaces", {"name": "a", "changes": {text: text, "model": text}}
    yield "POST", "/workspaces", {"name": "a", "preset": {"slug": text}, "texts": {"system": text}}
    yield "POST", "/workspaces", {text: text, "sources": [text]}
    yield "PATCH", workspace, {"name": text}
    yield "PATCH", workspace, {"texts": {"system": text, "context": text, "query": text}}
    yield "PATCH", workspace, {"set": {text: text}}
    yield "PATCH", workspace, {"set": {"history.maxTokens": text, "model": text}}
    yield "PATCH", workspace, {"reset": [text]}
    yield "POST", "/pack", {"request": talk(text)}
    yield "POST", "/pack", {"request": {**talk(text), "model": text, text: text}, "config": {text: text}}
    yield "POST", "/pack", {"request": talk(), "provider": text, "config": {"model": text, "history": text}}
    tools = [{"type": "function", "function": {"name": text, "description": text, "parameters": {text: text}}}]
    yield "POST", "/pack", {"request": {**talk(text), "tools": tools}}
    yield (
        "POST",
        "/pack",
        {"request": {"model": "claude-sonnet-4-5", "system": text, "messages": talk(text)["messages"]}},
    )
    yield "POST", "/collections", {"name": text, "sources": [text]}
    yield "POST", "/collections", {"name": text, "sources": []}
    yield "POST", f"{collection}/evaluations", {"configs": [{"name": text, "model": text, "changes": {text: text}}]}
    yield "POST", f"{collection}/evaluations", {"configs": [{"name": text, "changes": {}}]}
    yield "POST", f"{workspace}/reports", {"title": text, "content": "full"}
    yield "POST", f"{workspace}/reports", {"kind": "comparison", "a": text, "b": text, "password": text}
    yield "POST", f"{workspace}/reports", {"kind": "models", "models": [text]}
    yield "POST", f"{workspace}/reports", {"kind": "sweep", "over": text, "embedOn": text}
    yield "POST", f"{run}/reports", {"title": text, "embedOn": text, "days": text}
