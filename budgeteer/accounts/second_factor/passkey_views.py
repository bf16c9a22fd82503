"""Make passkeys, remove them, and sign in with one: alone, or after the password in the place of a code."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access, public
from budgeteer.accounts import own_password, throttling
from budgeteer.accounts.second_factor import challenges, half_signed_in, passkeys
from budgeteer.accounts.second_factor.challenges import ChallengePurpose
from budgeteer.accounts.second_factor.passkeys import PasskeyRefused, WebSite
from budgeteer.accounts.sign_in_answers import is_ours, record_limit
from budgeteer.accounts.sign_in_log import origin_of

_BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
_BEGIN_AGAIN: Final = "That took too long, or was begun in another tab. Try again."


@public
@never_cache
@require_POST
def sign_in_options(request: HttpRequest) -> HttpResponse:
    """A challenge to sign in with: for the account whose password was given, or for anybody's passkey."""
    if settings.BUDGETEER_MODE == "local":
        return HttpResponseNotAllowed([])
    try:
        counted = throttling.count_passkey(request)
    except throttling.TooManyAttempts as refusal:
        record_limit(request, refusal)
        response = HttpResponse(str(refusal), status=429, content_type="text/plain; charset=utf-8")
        response.headers["Retry-After"] = str(refusal.seconds)
        return response
    owing = half_signed_in.who(request)
    user = owing[0] if owing else None
    challenge = replace(challenges.new_challenge(user.pk if user else None), tries=counted.pks)
    challenges.keep(request, ChallengePurpose.SIGN_IN, challenge)
    return _json(passkeys.sign_in_options(user, challenge.signed, WebSite.of(request)))


@public
@never_cache
@require_POST
def sign_in_with_passkey(request: HttpRequest) -> HttpResponse:
    """Sign in with what the device answered; the page before it again, with the reason, where that is nothing."""
    wanted = request.POST.get("next", "")
    wanted = wanted if is_ours(request, wanted) else ""
    challenge = challenges.take(request, ChallengePurpose.SIGN_IN)
    owing = half_signed_in.who(request)
    if settings.BUDGETEER_MODE == "local" or challenge is None:
        messages.error(request, _BEGIN_AGAIN)
        return _back(wanted, is_owing=owing is not None)
    # A challenge of before the password, or for somebody else's, is none for this sign-in.
    account = owing[0].pk if owing else None
    try:
        if challenge.account != account:
            raise PasskeyRefused(_BEGIN_AGAIN)
        answer = request.POST.get("credential", "")
        user = passkeys.account_of(answer, challenge=challenge, site=WebSite.of(request))
    except PasskeyRefused as refused:
        record(SecurityEvent.PASSKEY_FAILED, account=account, address_key=origin_of(request))
        messages.error(request, str(refused))
        return _back(wanted, is_owing=owing is not None)
    throttling.Attempts(challenge.tries, "").succeeded()
    half_signed_in.end(request)
    login(request, user, backend=owing[1] if owing else _BACKEND)
    return redirect(wanted or settings.LOGIN_REDIRECT_URL)


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def creation_options(request: SignedInRequest) -> HttpResponse:
    """A challenge to make a passkey with."""
    if settings.BUDGETEER_MODE == "local":
        return HttpResponseNotAllowed([])
    challenge = challenges.new_challenge(request.user.pk)
    options = passkeys.creation_options(request.user, challenge.signed, WebSite.of(request))
    handle = passkeys.handle_in(json.loads(options))
    challenges.keep(request, ChallengePurpose.MAKE, replace(challenge, handle=handle))
    return _json(options)


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def add_passkey(request: SignedInRequest) -> HttpResponse:
    """Keep the passkey that the device made, with the password."""
    challenge = challenges.take(request, ChallengePurpose.MAKE)
    if not _is_confirmed(request):
        return redirect("accounts:second_factor")
    try:
        if challenge is None or challenge.account != request.user.pk:
            raise PasskeyRefused(_BEGIN_AGAIN)
        passkey = passkeys.add(
            request.user,
            request.POST.get("credential", ""),
            challenge=challenge,
            site=WebSite.of(request),
            name=request.POST.get("name", ""),
        )
        messages.success(request, f"“{passkey.name}” signs you in from now on.")
    except PasskeyRefused as refused:
        messages.error(request, str(refused))
    return redirect("accounts:second_factor")


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def remove_passkey(request: SignedInRequest, passkey_id: int) -> HttpResponse:
    """Remove one of one's own, with the password."""
    try:
        if _is_confirmed(request) and passkeys.remove_passkey(request.user, passkey_id):
            messages.success(request, "The passkey is removed here. Delete it on its device too.")
    except PasskeyRefused as refused:
        messages.error(request, str(refused))
    return redirect("accounts:second_factor")


def _is_confirmed(request: SignedInRequest) -> bool:
    """Whether whoever sent it is who they are; why not is said on the page that follows."""
    try:
        if own_password.is_confirmed(request):
            return True
        messages.error(request, f"{own_password.refusal(request)} Nothing was changed.")
    except throttling.TooManyAttempts as refusal:
        record_limit(request, refusal)
        messages.error(request, f"{refusal} Nothing was changed.")
    return False


def _back(wanted: str, *, is_owing: bool) -> HttpResponse:
    page = reverse("accounts:sign_in_code" if is_owing else "accounts:sign_in")
    return redirect(f"{page}?{urlencode({'next': wanted})}" if wanted else page)


def _json(options: str) -> HttpResponse:
    return HttpResponse(options, content_type="application/json")
