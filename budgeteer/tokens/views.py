"""The page of one's own access tokens: make one, see it once, revoke it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from budgeteer.access.lookups import found_or_404
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access, role_of
from budgeteer.engine.errors import InputError
from budgeteer.tokens import services
from budgeteer.tokens.forms import TokenForm
from budgeteer.tokens.models import AccessToken
from budgeteer.tokens.scopes import Scope


@dataclass(frozen=True, slots=True)
class ScopeChoice:
    """One scope of the form."""

    scope: Scope
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token of the list; `standing` is "open", "expired" or "revoked"."""

    token: AccessToken
    standing: str


@access(write=AccountRole.VIEWER)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: SignedInRequest) -> HttpResponse:
    """The list and the form; a POST makes a token and shows it, once."""
    role = role_of(request.user)
    if request.method != "POST":
        return _page(request, TokenForm(role=role, initial={"form_key": uuid.uuid4()}))
    form = TokenForm(request.POST, role=role)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        made = services.make(request.user, services.TokenRequest(**form.cleaned_data))
    except InputError as refusal:
        form.add_error(None, refusal.sentence)
        return _page(request, form, status=422)
    fresh = TokenForm(role=role, initial={"form_key": uuid.uuid4()})
    return _page(request, fresh, made=made)


@access(write=AccountRole.VIEWER)
@require_POST
def revoke(request: SignedInRequest, token_id: uuid.UUID) -> HttpResponse:
    """End a token for good."""
    token = found_or_404(services.of(request.user, token_id), "token")
    services.revoke(token)
    messages.success(request, f"“{token.name}” is revoked: nothing is answered to it any more.")
    return redirect("tokens:list")


def _page(
    request: SignedInRequest, form: TokenForm, *, status: int = 200, made: services.NewToken | None = None
) -> HttpResponse:
    chosen = form.chosen()
    context = {
        "form": form,
        "scopes": [ScopeChoice(scope, scope.label in chosen) for scope in form.offered],
        "rows": [TokenRow(token, _standing(token)) for token in services.tokens_of(request.user)],
        "made": made,
        "address": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "tokens/list.html", context, status=status)


def _standing(token: AccessToken) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.is_expired else "open"
