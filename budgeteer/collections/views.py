"""The pages of collections: the list, one collection with its sources, and the actions on it."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from budgeteer.access.body_limits import takes_uploads
from budgeteer.access.lookups import found_or_404
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access, role_of
from budgeteer.collections import collection_page, forms, runs, services
from budgeteer.collections.collection_page import ChoicePage
from budgeteer.collections.models import Collection
from budgeteer.collections.turns import TooManyEvaluations
from budgeteer.engine.errors import InputError
from budgeteer.engine.models.registry import MODELS
from budgeteer.sources import services as sources
from budgeteer.sources import source_rows
from budgeteer.teams.sharing import audience_named, audience_of, audiences_of, is_team_mode

#: How often a page looks whether what it waits for is done, in seconds.
REFRESH_SECONDS = 2


def get_collection_for_user(user: User, collection_id: uuid.UUID) -> Collection:
    """Only the owner may change a collection; for anybody else it does not exist.

    Raises:
        Http404: it is another's, deleted, or was never there.
    """
    return found_or_404(services.of(user, collection_id), "collection")


def get_collection_to_look_at(user: User, collection_id: uuid.UUID) -> Collection:
    """The owner sees a collection, and with whom it is shared.

    Raises:
        Http404: it is another's and not shared, deleted, or was never there.
    """
    return found_or_404(services.to_look_at(user, collection_id), "collection")


def may_change(user: User, collection: Collection) -> bool:
    """Whether this reader may change the collection: its owner, while they are an editor."""
    return collection.owner_id == user.pk and (role_of(user) or AccountRole.VIEWER) >= AccountRole.EDITOR


@access()
@never_cache
@require_safe
def list_collections(request: SignedInRequest) -> HttpResponse:
    """Every collection of the owner, and those that others share."""
    return _list(request)


def _list(request: SignedInRequest, *, status: int = 200, **answer: Any) -> HttpResponse:
    context = {
        "rows": collection_page.collection_rows(services.live(request.user), request.user),
        "shared_rows": collection_page.collection_rows(services.shared_with(request.user), request.user),
        "undo": services.just_deleted(request.user, request.GET.get("deleted", "")),
        **answer,
    }
    return render(request, "collections/list.html", context, status=status)


@access()
@takes_uploads
@require_http_methods(["GET", "POST"])
def upload(request: SignedInRequest) -> HttpResponse:
    """Make a collection of what the drop zone carries: a zip or a folder of sessions, or many files."""
    if request.method == "GET":
        return redirect("collections:list")
    reception = sources.receive_request(request.user, request.POST, request.FILES)
    if not reception.sources:
        status = 200 if request.htmx else 422
        return _list(request, status=status, refused=reception.refused, draft=request.POST.get("text", ""))
    first, more = reception.sources[0].name, len(reception.sources) - 1
    name = f"{first} and {more:,} more" if more else first
    collection = services.create(request.user, name=name, members=reception.sources)
    return _received(request, collection, reception)


@access()
@takes_uploads
@require_http_methods(["GET", "POST"])
def add(request: SignedInRequest, collection_id: uuid.UUID) -> HttpResponse:
    """Put what the drop zone carries into the collection."""
    collection = get_collection_for_user(request.user, collection_id)
    if request.method == "GET":
        return redirect(collection)
    reception = sources.receive_request(request.user, request.POST, request.FILES)
    if not reception.sources:
        status = 200 if request.htmx else 422
        more = {"refused": reception.refused, "draft": request.POST.get("text", "")}
        return _detail(request, collection, status=status, **more)
    services.add(collection, reception.sources)
    return _received(request, collection, reception)


def _received(request: SignedInRequest, collection: Collection, reception: sources.UploadResult) -> HttpResponse:
    """Say what came in, files with the same bytes once, and go on to the collection."""
    for error in reception.refused:
        messages.warning(request, error.sentence)
    if known := sum(source.was_known for source in reception.sources):
        words = "file was" if known == 1 else "files were"
        messages.info(request, f"{known:,} {words} here already, byte for byte: nothing was stored twice.")
    there = collection.get_absolute_url()
    return HttpResponseClientRedirect(there) if request.htmx else redirect(there)


@access()
@never_cache
@require_http_methods(["GET", "POST"])
def choose(request: SignedInRequest) -> HttpResponse:
    """Choose among the sources that are here, by their names; a POST makes a collection of them or adds them to one.

    `source` are those that are ticked; with `all` it is every one that matches.
    """
    data = request.POST if request.method == "POST" else request.GET
    query, kind = data.get("q", "").replace("\0", " ").strip(), data.get("kind", "conversation")
    into = _into(request.user, data.get("into", ""))
    found = source_rows.found(sources.recent(request.user, limit=None), query=query, kind=kind)
    if request.method == "POST":
        members = found if "all" in data else found.filter(pk__in=_uuids(data.getlist("source")))
        chosen = list(members.order_by("name", "pk"))
        if chosen:
            if into is None:
                into = services.create(request.user, name=data.get("name", ""), members=chosen)
            else:
                services.add(into, chosen)
            return redirect(into)
        messages.error(request, "No source was ticked. Tick some, or take all that match.")
    total = found.count()
    number = data.get("page", "")
    page = source_rows.window(
        int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 1,
        total=total,
        rows=source_rows.LIST_ROWS,
    )
    rows = tuple(source_rows.SourceRow(source) for source in found[max(page.first - 1, 0) : page.last])
    shown = ChoicePage(query, kind, rows, page, total, collection_page.kinds_offered(), into)
    pairs = {"q": query, "kind": kind, "into": str(into.pk) if into else ""}
    context = {"page": shown, "state_query": urlencode({key: value for key, value in pairs.items() if value})}
    status = 422 if request.method == "POST" else 200
    return render(request, "collections/choose.html", context, status=status)


def _into(user: User, collection_id: str) -> Collection | None:
    """The collection that sources are added to, None where a new one is made.

    Raises:
        Http404: it is another's, deleted, or was never there.
    """
    if not collection_id:
        return None
    found = _uuids([collection_id])
    if not found:
        raise Http404("There is no such collection")
    return get_collection_for_user(user, found[0])


def _uuids(texts: list[str]) -> list[uuid.UUID]:
    found = []
    for text in texts:
        try:
            found.append(uuid.UUID(text))
        except ValueError:
            continue
    return found


@access()
@never_cache
@require_safe
def detail(request: SignedInRequest, collection_id: uuid.UUID) -> HttpResponse:
    """One collection: its import reports summed up, duplicates, evaluations and sources.

    A page that waits for imports asks how many are left, and is loaded anew once there are none.
    """
    collection = get_collection_to_look_at(request.user, collection_id)
    if request.htmx and not services.waiting_for(collection):
        return HttpResponseClientRefresh()
    return _detail(request, collection)


def _detail(request: SignedInRequest, collection: Collection, *, status: int = 200, **answer: Any) -> HttpResponse:
    is_own = may_change(request.user, collection)
    number = request.GET.get("page", "")
    page = collection_page.collection_page(
        collection,
        page=int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 1,
        may_change=is_own,
    )
    context = {
        "page": page,
        "can_change": is_own,
        "audience": audience_of(collection),
        "audiences": audiences_of(request.user) if is_own else (),
        "form": forms.empty_form(),
        "choices": forms.choices_for(request.user) if is_own else (),
        "models": tuple(MODELS),
        **answer,
    }
    # What is waited for is asked for on its own, so that nothing typed or being uploaded on the page is lost.
    context["asks_again"] = REFRESH_SECONDS if page.importing or (page.job and page.job.can_cancel) else 0
    return render(request, "collections/detail.html", context, status=status)


@access()
@require_POST
def evaluate(request: SignedInRequest, collection_id: uuid.UUID) -> HttpResponse:
    """Evaluate the configurations of the form over the collection, as jobs."""
    collection = get_collection_for_user(request.user, collection_id)
    form, configs = forms.read_form(request.user, request.POST)
    if form.problem:
        return _detail(request, collection, status=422, form=form)
    if services.waiting_for(collection):
        messages.error(request, "It can be evaluated once all of its sources are imported.")
        return redirect(collection)
    try:
        run = runs.begin(
            collection,
            configs,
            owner=request.user,
            keeps_duplicates=form.keeps_duplicates,
            replays_sessions=form.replays_sessions,
        )
    except TooManyEvaluations as error:
        return _detail(request, collection, status=429, form=replace(form, problem=error.sentence))
    return redirect(run)


@access()
@require_POST
def rename(request: SignedInRequest, collection_id: uuid.UUID) -> HttpResponse:
    """Give it another name."""
    collection = get_collection_for_user(request.user, collection_id)
    if not services.rename(collection, request.POST.get("name", "")):
        messages.error(request, "A collection needs a name.")
    return redirect(collection)


@access()
@require_POST
def team(request: SignedInRequest, collection_id: uuid.UUID) -> HttpResponse:
    """Let everyone or a team look at it, or its owner alone again."""
    collection = get_collection_for_user(request.user, collection_id)
    if not is_team_mode():
        raise Http404("There is nobody to share with in local mode")
    audience = None
    if request.POST.get("shared") == "on":
        audience = found_or_404(audience_named(request.user, request.POST.get("team", "")), "team")
    try:
        services.share(collection, audience)
    except InputError as refusal:
        messages.error(request, f"It cannot be shared: {refusal.sentence}")
        return redirect(collection)
    messages.success(request, f"{audience.who if audience else 'Only you'} may look at this collection now.")
    return redirect(collection)


@access()
@require_POST
def remove(request: SignedInRequest, collection_id: uuid.UUID, source_id: uuid.UUID) -> HttpResponse:
    """Take a source out of it; the source itself stays."""
    collection = get_collection_for_user(request.user, collection_id)
    services.remove(collection, source_id)
    return redirect(collection)


@access()
@require_POST
def delete(request: SignedInRequest, collection_id: uuid.UUID) -> HttpResponse:
    """Delete it; the list then offers to undo."""
    collection = get_collection_for_user(request.user, collection_id)
    for run in collection.runs.all():
        runs.cancel(run)
    services.delete(collection)
    return redirect(f"{reverse('collections:list')}?{urlencode({'deleted': collection.id})}")


@access()
@require_POST
def restore(request: SignedInRequest, collection_id: uuid.UUID) -> HttpResponse:
    """Undo a deletion."""
    collection = found_or_404(services.restore(request.user, collection_id), "collection")
    messages.success(request, f"“{collection.name}” is back.")
    return redirect(collection)
