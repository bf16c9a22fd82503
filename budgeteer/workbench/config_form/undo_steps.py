"""Undo steps: one for each committed change of the preset, the configuration, an item's text, the sources or the texts.

A step holds what stood before; sources and typed texts only where it changed them. Changes of the same setting or text
that are pressed within JOIN_SECONDS of each other are one step, so that a key that is held down is undone at once; the
page says how long lies between two presses, whatever the server takes for them. The oldest steps go where there are
more than UNDO_STEPS, or where they take more than UNDO_BYTES together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from budgeteer.sources.models import Source
from budgeteer.workbench.config_form.step_names import changed_paths
from budgeteer.workbench.models import Workspace, WorkspaceSource

UNDO_STEPS = 50
UNDO_BYTES = 2_000_000
"""The most that either list of steps may take in the row, as JSON; the newest step is kept whatever it takes."""

JOIN_SECONDS = 1.0
#: The most digits of a pause that are read.
_PAUSE_DIGITS = 9

_TEXTS = ("system_text", "context_text", "query_text")
_STEP_FIELDS = ("undo_steps", "redo_steps", "revision")
_FIELDS = (*_STEP_FIELDS, "config_delta", "edits", "preset_slug", "preset_number", *_TEXTS)
_LINK_FIELDS = ("conversation_index", "order", "role")


@contextmanager
def locked(workspace: Workspace) -> Iterator[None]:
    """Hold the row and read anew what steps are made of, for a change that depends on what stands there."""
    with transaction.atomic():
        _lock(workspace)
        yield


def is_newest(workspace: Workspace, seen: str) -> bool:
    """Whether a button was drawn with the steps there are: `seen` is the revision it names, "" where it names none."""
    return seen in {"", str(workspace.revision)}


def earlier_deltas(workspace: Workspace) -> Iterator[Mapping[str, Any]]:
    """The changes of every step that is kept, the last ones first."""
    for step in (*reversed(workspace.undo_steps), *reversed(workspace.redo_steps)):
        yield step["delta"]


@transaction.atomic
def commit(workspace: Workspace, delta: Mapping[str, Any], *, name: str = "", pause_ms: int | None = None) -> bool:
    """Save a configuration as one step that can be undone; False when nothing changed.

    Args:
        workspace: whose configuration.
        delta: what differs from the preset.
        name: what was done, where the values that changed do not say it best.
        pause_ms: milliseconds since the press before at the same form; None where the page does not say.
    """
    _lock(workspace)
    paths = "" if name else " ".join(changed_paths(workspace.config_delta, delta))
    return _step_to(workspace, {**_here(workspace), "delta": dict(delta)}, name=name, joins=paths, pause_ms=pause_ms)


@transaction.atomic
def choose_preset(workspace: Workspace, slug: str, number: int) -> bool:
    """Stand on a preset's version as one step that can be undone; False when the workspace stood on it already."""
    _lock(workspace)
    return _step_to(workspace, {**_here(workspace), "preset": [slug, number]})


@transaction.atomic
def write_edit(workspace: Workspace, decision_id: str, text: str | None) -> bool:
    """Save another wording of an item (None: as it came) as one step that can be undone; False when nothing changed."""
    _lock(workspace)
    edits = {key: value for key, value in workspace.edits.items() if key != decision_id}
    if text is not None:
        edits[decision_id] = text
    return _step_to(workspace, {**_here(workspace), "edits": edits})


@contextmanager
def changing_sources(workspace: Workspace, *, name: str) -> Iterator[None]:
    """Make one step of what is done to the workspace's sources inside; none where nothing came of it."""
    with locked(workspace):
        before = {**_here(workspace), "sources": _sources(workspace)}
        yield
        if _sources(workspace) != before["sources"]:
            _push(workspace, before, name=name)
            workspace.save(update_fields=_STEP_FIELDS)


@contextmanager
def changing_texts(workspace: Workspace, *, name: str, pause_ms: int | None = None) -> Iterator[None]:
    """Make one step of what is done to the typed texts; none where nothing came of it. `pause_ms`: see commit."""
    with locked(workspace):
        before = {**_here(workspace), "texts": _texts(workspace)}
        yield
        if _texts(workspace) != before["texts"]:
            _push(workspace, before, name=name, joins=f"texts {name}", pause_ms=pause_ms)
            workspace.save(update_fields=_STEP_FIELDS)


@transaction.atomic
def undo(workspace: Workspace) -> bool:
    """Go one step back; False when there is none."""
    _lock(workspace)
    if not workspace.undo_steps:
        return False
    *earlier, step = workspace.undo_steps
    workspace.redo_steps = _kept([*workspace.redo_steps, _named(_here_beside(workspace, step), name_of(step))])
    workspace.undo_steps = earlier
    workspace.revision += 1
    _stand_on(workspace, step)
    return True


@transaction.atomic
def redo(workspace: Workspace) -> bool:
    """Take back one undo; False when there is none."""
    _lock(workspace)
    if not workspace.redo_steps:
        return False
    *earlier, step = workspace.redo_steps
    workspace.undo_steps = _kept([*workspace.undo_steps, _named(_here_beside(workspace, step), name_of(step))])
    workspace.redo_steps = earlier
    workspace.revision += 1
    _stand_on(workspace, step)
    return True


def name_of(step: Mapping[str, Any]) -> str:
    """What was done between a kept step and the one beside it, "" where it was given no name."""
    return str(step.get("name", ""))


def changes_inputs(step: Mapping[str, Any]) -> bool:
    """Whether a kept step differs from the one beside it in sources or typed texts."""
    return not step.keys().isdisjoint({"sources", "texts"})


def pause_of(posted: Mapping[str, Any]) -> int | None:
    """The milliseconds that a page says lie between this press and the one before; None where it says none."""
    text = str(posted.get("pause_ms") or "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _PAUSE_DIGITS else None


def _named(step: dict[str, Any], name: str) -> dict[str, Any]:
    return {**step, "name": name} if name else step


def _lock(workspace: Workspace) -> None:
    """Read what steps are made of anew and hold it until the transaction ends."""
    workspace.refresh_from_db(fields=_FIELDS, from_queryset=Workspace.objects.select_for_update())


def _here(workspace: Workspace) -> dict[str, Any]:
    return {
        "delta": workspace.config_delta,
        "edits": workspace.edits,
        "preset": [workspace.preset_slug, workspace.preset_number],
    }


def _here_beside(workspace: Workspace, step: Mapping[str, Any]) -> dict[str, Any]:
    """What stands now, of everything that the step will replace."""
    here = _here(workspace)
    if "texts" in step:
        here["texts"] = _texts(workspace)
    if "sources" in step:
        here["sources"] = _sources(workspace)
    return here


def _texts(workspace: Workspace) -> dict[str, str]:
    return {name: getattr(workspace, name) for name in _TEXTS}


def _sources(workspace: Workspace) -> list[list[Any]]:
    links = workspace.links.order_by("order", "pk").values_list("source_id", *_LINK_FIELDS)
    return [[str(source), *rest] for source, *rest in links]


def _kept(step_list: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The newest steps, as many as there is room for; one at least."""
    kept, size_bytes = 0, 0
    for step in reversed(step_list[-UNDO_STEPS:]):
        size_bytes += len(json.dumps(step))
        if kept and size_bytes > UNDO_BYTES:
            break
        kept += 1
    return step_list[-kept:]


def _step_to(
    workspace: Workspace, step: dict[str, Any], *, name: str = "", joins: str = "", pause_ms: int | None = None
) -> bool:
    if step == _here(workspace):
        return False
    _push(workspace, _here(workspace), name=name, joins=joins, pause_ms=pause_ms)
    _stand_on(workspace, step)
    return True


def _push(
    workspace: Workspace, before: dict[str, Any], *, name: str = "", joins: str = "", pause_ms: int | None = None
) -> None:
    """Keep what stood before a change; a change that `joins` the newest step of that key is part of it."""
    workspace.revision += 1
    now = timezone.now().timestamp()
    last = workspace.undo_steps[-1] if workspace.undo_steps and not workspace.redo_steps else {}
    workspace.redo_steps = []
    if joins and last.get("joins") == joins:
        pause = now - last["at"] if pause_ms is None else pause_ms / 1000
        is_part = 0 <= pause <= JOIN_SECONDS
    else:
        is_part = False
    if is_part:
        workspace.undo_steps = [*workspace.undo_steps[:-1], {**last, "at": now}]
        return
    marked = {"joins": joins, "at": now} if joins else {}
    workspace.undo_steps = _kept([*workspace.undo_steps, {**_named(before, name), **marked}])


def _stand_on(workspace: Workspace, step: Mapping[str, Any]) -> None:
    workspace.config_delta, workspace.edits = step["delta"], step["edits"]
    if "preset" in step:
        workspace.preset_slug, workspace.preset_number = step["preset"]
    for name, text in step.get("texts", {}).items():
        setattr(workspace, name, text)
    if "sources" in step:
        _stand_on_sources(workspace, step["sources"])
    workspace.save(update_fields=[*_FIELDS, "updated_at"])


def _stand_on_sources(workspace: Workspace, wanted: Sequence[Sequence[Any]]) -> None:
    """Use these sources as they were used; one that has been deleted since stays away."""
    rows = {source: dict(zip(_LINK_FIELDS, rest, strict=True)) for source, *rest in wanted}
    workspace.links.exclude(source_id__in=rows).delete()
    there = set(Source.objects.filter(pk__in=rows, deleted_at__isnull=True).values_list("pk", flat=True))
    for source, values in rows.items():
        if UUID(source) in there:
            WorkspaceSource.objects.update_or_create(workspace=workspace, source_id=source, defaults=values)
