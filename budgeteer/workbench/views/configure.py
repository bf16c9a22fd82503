"""Change the configuration: the form, undo and redo, policies and pins, a pasted configuration."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.views.decorators.http import require_POST

from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import access
from budgeteer.engine.config.size_limits import CONFIG_BYTES, text_size_error
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.packing.history.summary import SummaryPending
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.apply import (
    ConfigChange,
    apply_posted,
    changed_since,
    path_of_input,
    with_pin,
    with_policy,
)
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.fix_buttons import changes_of
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.page import WorkbenchPage
from budgeteer.workbench.preview import preview
from budgeteer.workbench.state import PanelName, ViewState
from budgeteer.workbench.views.responses import (
    back_to,
    build_page,
    get_workspace_for_user,
    render_page,
    render_swaps,
    say,
)

#: As many digits of a version number as are read; no version has one so long.
MOST_DIGITS = 9


@access()
@require_POST
def configure(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """Take the form as it stands: each value is saved or refused by itself; a draft is shown and not saved."""
    workspace = get_workspace_for_user(request.user, workspace_id)
    state = ViewState.read(request.POST)
    if "draft" in request.POST:
        return _draft(request, workspace, state)
    followed, refusal = _follow(workspace, request.POST.get("preset", ""), seen=request.POST.get("seen", ""))
    current = EditableConfig.of(workspace)
    if reset := request.POST.get("reset", ""):
        return _reset(request, workspace, state, path=reset)
    applied = request.POST.get("apply", "")
    posted = changes_of(applied) if applied else _changes(request.POST, current)
    change = _with(apply_posted(current, {} if followed else posted), refusal)
    if not followed:  # what the workspace changes stays as it is on another preset
        undo_steps.commit(workspace, change.config.delta)
    # A page that an earlier release drew names its inputs otherwise: nothing of it is taken, and it is drawn anew.
    whole_form = followed or bool(applied) or not posted or _is_stale(request.POST, current)
    return _answer(request, workspace, state, change=change, whole_form=whole_form)


@access()
@require_POST
def undo(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """One step back; with `everything`, to the preset as it is."""
    workspace = get_workspace_for_user(request.user, workspace_id)
    if "everything" in request.POST:
        undo_steps.commit(workspace, {})
        return back_to(workspace, ViewState())
    said = "Undone" if undo_steps.undo(workspace) else "Nothing to undo"
    return say(_answer(request, workspace, ViewState.read(request.POST), whole_form=True), said)


@access()
@require_POST
def redo(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """One undone step forward again."""
    workspace = get_workspace_for_user(request.user, workspace_id)
    said = "Done again" if undo_steps.redo(workspace) else "Nothing to do again"
    return say(_answer(request, workspace, ViewState.read(request.POST), whole_form=True), said)


@access()
@require_POST
def item(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """Set the policy of a skill, or pin an item."""
    workspace = get_workspace_for_user(request.user, workspace_id)
    current = EditableConfig.of(workspace)
    chosen = request.POST.get("item", "")
    state = replace(ViewState.read(request.POST), sel=chosen)
    packed = preview(workspace, current).packed
    index = packed.find(chosen) if packed else None
    if packed is None or index is None:
        return _answer(request, workspace, state, whole_form=False)
    decision = packed.packing.ledger.decision(index)
    try:
        if policy := request.POST.get("policy", ""):
            changed = with_policy(current, decision, policy)
        else:
            changed = with_pin(current, decision, wanted=request.POST.get("pin") == "on")
    except ConfigError as error:
        if request.htmx:
            return say(_answer(request, workspace, state, whole_form=False), error.sentence)
        messages.error(request, error.sentence)
        return back_to(workspace, state)
    undo_steps.commit(workspace, changed.delta)
    return _answer(request, workspace, state, whole_form=False)


@access()
@require_POST
def paste_config(request: SignedInRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """Use a pasted configuration, whole or in part; what cannot be used is said under the field."""
    workspace = get_workspace_for_user(request.user, workspace_id)
    state = ViewState(view=PanelName.CONFIG)
    pasted = request.POST.get("config", "")
    try:
        if refused := text_size_error(pasted):
            raise refused
        data = json.loads(pasted)
        undo_steps.commit(workspace, EditableConfig.of(workspace).with_delta(data).delta)
    except json.JSONDecodeError as error:
        sentence = f"Line {error.lineno}, column {error.colno}: not JSON ({error.msg}). Nothing was changed."
    except ValueError:
        sentence = "A number in it has too many digits to be read. Nothing was changed."
    except RecursionError:
        sentence = "This is nested too deeply to be a configuration. Nothing was changed."
    except ConfigError as error:
        # It may quote half of a surrogate pair, which no page can carry.
        sentence = f"{error.sentence} Nothing was changed.".encode("utf-8", "replace").decode()
    else:
        messages.success(request, "The configuration is in use.")
        return back_to(workspace, state)
    kept = pasted if len(pasted) <= CONFIG_BYTES else ""
    return render_page(request, build_page(workspace, state, pasted=kept, paste_error=sentence), status=422)


def _draft(request: SignedInRequest, workspace: Workspace, state: ViewState) -> HttpResponse:
    """Show what a value that is still moving would come to; nothing is saved and no job is started."""
    saved = EditableConfig.of(workspace)
    change = apply_posted(saved, _changes(request.POST, saved))
    moved = change.config
    try:
        page = WorkbenchPage(
            workspace, state, moved, preview(workspace, moved, draft=True), change=change, is_draft=True
        )
    except SummaryPending:
        return HttpResponse(status=204)
    return render_swaps(request, page, whole_form=False, touched=_touched(request.POST))


def _reset(request: SignedInRequest, workspace: Workspace, state: ViewState, *, path: str) -> HttpResponse:
    try:
        undo_steps.commit(workspace, EditableConfig.of(workspace).without(path).delta)
    except ConfigError as error:
        messages.error(request, error.sentence)
    return _answer(request, workspace, state, whole_form=True)


def _answer(
    request: SignedInRequest,
    workspace: Workspace,
    state: ViewState,
    *,
    whole_form: bool,
    change: ConfigChange | None = None,
) -> HttpResponse:
    """The swaps for htmx; else the page: by a redirect when all is well, with its errors when not."""
    has_errors = change is not None and bool(change.errors)
    if request.htmx:
        page = build_page(workspace, state, change=change)
        return render_swaps(request, page, whole_form=whole_form, touched=_touched(request.POST))
    if has_errors:
        return render_page(request, build_page(workspace, state, change=change), status=422)
    return back_to(workspace, state)


def _follow(workspace: Workspace, asked: str, *, seen: str) -> tuple[bool, ConfigError | None]:
    """Stand on the preset that was chosen; False when none was.

    None was where the form still names the version it was drawn with (`seen`), whatever the workspace stands on by
    now, and where it names the workspace's preset without a version, as forms of before did.
    """
    slug, _, number = asked.partition("@")
    chosen = int(number[:MOST_DIGITS]) if number.isdecimal() else None
    if asked in {"", seen, workspace.preset_slug} or (slug, chosen) == (workspace.preset_slug, workspace.preset_number):
        return False, None
    try:
        services.follow(workspace, slug, number=chosen)
    except ConfigError as error:
        return False, error
    return True, None


def _with(change: ConfigChange, refusal: ConfigError | None) -> ConfigChange:
    if refusal is None:
        return change
    return replace(change, errors={**change.errors, "preset": refusal})


def _is_stale(posted: QueryDict, current: EditableConfig) -> bool:
    """Whether the form showed another version of the preset than the one that holds now."""
    return posted.get("seen", "") not in {"", current.key}


def _changes(posted: QueryDict, current: EditableConfig) -> dict[str, str]:
    """What a whole form asks for: all of it, or what was changed in a form that is older than its preset."""
    return (
        changed_since(posted.get("seen", ""), current, _paths(posted)) if _is_stale(posted, current) else _paths(posted)
    )


def _paths(posted: QueryDict) -> dict[str, str]:
    """By path, the text of its last control (a switch is a hidden "off" and then an "on")."""
    return {path: posted.getlist(name)[-1] for name in posted if (path := path_of_input(name)) is not None}


def _touched(posted: QueryDict) -> frozenset[str]:
    return frozenset(path for name in posted.getlist("touched") if (path := path_of_input(name)) is not None)
