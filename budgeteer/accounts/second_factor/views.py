"""Ask for the code at sign-in; set the second factor up and remove it on a page of one's account."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access, public
from budgeteer.accounts import own_password, throttling
from budgeteer.accounts.models import Passkey
from budgeteer.accounts.second_factor import half_signed_in, services
from budgeteer.accounts.second_factor.codes import new_secret, qr_code, setup_link
from budgeteer.accounts.sessions.services import end_sessions
from budgeteer.accounts.sign_in_answers import is_ours, too_many
from budgeteer.accounts.sign_in_log import origin_of

_SECRET: Final = "second_factor_secret"  # noqa: S105 - the name of a session's entry
_PAGE: Final = "accounts/second_factor.html"


@public
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """Ask for the code after the right password; who owes none is led to the sign-in page."""
    owing = half_signed_in.who(request)
    if owing is None:
        half_signed_in.end(request)
        return redirect("accounts:sign_in")
    user, backend = owing
    wanted = request.POST.get("next", request.GET.get("next", ""))
    context: dict[str, Any] = {
        "next": wanted,
        "name": user.get_username(),
        "has_app": services.has_app(user),
        "has_passkey": Passkey.objects.filter(user=user).exists(),
    }
    if request.method != "POST":
        return render(request, "accounts/sign_in_code.html", context)
    try:
        counted = throttling.count_code(request, user.pk)
    except throttling.TooManyAttempts as refusal:
        return too_many(request, "accounts/sign_in_code.html", refusal, **context)
    if not services.is_right(user, request.POST.get("code", "")):
        record(SecurityEvent.SECOND_FACTOR_FAILED, account=user.pk, address_key=origin_of(request))
        return render(request, "accounts/sign_in_code.html", {**context, "is_wrong": True}, status=422)
    counted.succeeded()
    half_signed_in.end(request)
    login(request, user, backend=backend)
    return redirect(wanted if is_ours(request, wanted) else settings.LOGIN_REDIRECT_URL)


@access(write=AccountRole.VIEWER)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def second_factor(request: SignedInRequest) -> HttpResponse:
    """The page of one's second factor; a post turns it on with the first code of the app."""
    if request.method != "POST":
        return _page(request)
    if settings.BUDGETEER_MODE == "local":
        return HttpResponseNotAllowed(["GET"])
    secret = request.session.get(_SECRET, "")
    refused = _without_password(request)
    if refused is not None:
        return refused
    codes = services.set_up(request.user, secret, request.POST.get("code", "")) if secret else None
    if codes is None:
        return _page(request, problem="code", status=422)
    del request.session[_SECRET]
    end_sessions(request.user, besides=request.session.session_key)
    messages.success(request, "The second factor is on. Other browsers and devices are signed out.")
    return _page(request, codes=codes)


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def set_up_with_passkeys(request: SignedInRequest) -> HttpResponse:
    """Turn it on with one's passkeys alone, with the password."""
    refused = _without_password(request, at="passkeys")
    if refused is not None:
        return refused
    codes = services.set_up_with_passkeys(request.user)
    if codes is None:
        return redirect("accounts:second_factor")
    end_sessions(request.user, besides=request.session.session_key)
    messages.success(request, "The second factor is on. Other browsers and devices are signed out.")
    return _page(request, codes=codes)


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def remove_second_factor(request: SignedInRequest) -> HttpResponse:
    """Turn it off, with the password."""
    refused = _without_password(request, at="remove")
    if refused is not None:
        return refused
    if services.remove(request.user, by=request.user.pk):
        messages.success(request, "The second factor is off. Your password alone signs you in.")
    return redirect("accounts:second_factor")


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def renew_recovery_codes(request: SignedInRequest) -> HttpResponse:
    """New recovery codes, with the password; the old ones end."""
    refused = _without_password(request, at="codes")
    if refused is not None:
        return refused
    codes = services.renew_recovery_codes(request.user)
    return _page(request, codes=codes) if codes else redirect("accounts:second_factor")


def _page(
    request: SignedInRequest, *, codes: list[str] | None = None, problem: str = "", at: str = "", status: int = 200
) -> HttpResponse:
    """The page: the QR code of a secret that this session keeps until it is used, or what is set up.

    `at` is the form of the page whose password was wrong: "remove", "codes", "passkeys", or "" for the one that sets an
    app up.
    """
    user = request.user
    context: dict[str, Any] = {"codes": codes, "problem": problem, "at": at}
    context |= {"has_password": user.has_usable_password(), "refusal_of_password": own_password.refusal(request)}
    if settings.BUDGETEER_MODE == "local":
        return render(request, _PAGE, context)
    context["is_on"] = services.is_set_up(user)
    context["codes_left"] = services.codes_left(user)
    context["passkeys"] = Passkey.objects.filter(user=user)
    context["has_app"] = services.has_app(user)
    if not context["has_app"]:
        secret = request.session.setdefault(_SECRET, new_secret())
        link = setup_link(secret, name=user.get_username())
        context |= {"qr": qr_code(link), "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))}
    return render(request, _PAGE, context, status=status)


def _without_password(request: SignedInRequest, *, at: str = "") -> HttpResponse | None:
    """The page again, where the password that has to come with it is wrong or was tried too often; else None."""
    try:
        return None if own_password.is_confirmed(request) else _page(request, problem="password", at=at, status=422)
    except throttling.TooManyAttempts as refusal:
        return too_many(request, _PAGE, refusal)
