"""Sign in by the provider, connect one's account to it, and sign out there.

What leads to the provider is a link, not a form: the content policy keeps forms, and what they redirect to, to this
site.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import structlog
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access, public
from budgeteer.accounts import own_password, throttling
from budgeteer.accounts.second_factor import half_signed_in
from budgeteer.accounts.second_factor import services as second_factor
from budgeteer.accounts.sign_in_answers import is_ours, too_many
from budgeteer.accounts.sign_in_log import origin_of
from budgeteer.accounts.single_sign_on import identities, pending
from budgeteer.accounts.single_sign_on.refusals import (
    SENTENCES,
    ProviderUnavailable,
    RefusalReason,
    SignInRefused,
)
from budgeteer.accounts.single_sign_on.settings import ProviderSettings

if TYPE_CHECKING:
    from budgeteer.accounts.single_sign_on.provider import ProviderClaims

log = structlog.get_logger(__name__)

CONNECT_TIME: Final = timedelta(minutes=5)
SIGNED_IN_BY_PROVIDER: Final = "signed_in_by_provider"
"""The entry of a session that says that it began at the provider, which may keep a session of its own."""
_MAY_CONNECT: Final = "may_connect_until"
_BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
_PAGE: Final = "accounts/single_sign_on.html"
_REFUSED: Final = "accounts/provider_refused.html"


@public
@never_cache
@require_safe
def provider_start(request: HttpRequest) -> HttpResponse:
    """To the provider; who is signed in goes where they wanted, unless they said that they connect their account."""
    from budgeteer.accounts.single_sign_on import provider  # reads Authlib, which nothing else needs

    ours = _settings()
    connecting = _may_connect(request)
    wanted = request.GET.get("next", "")
    wanted = wanted if is_ours(request, wanted) else ""
    if request.user.is_authenticated and not connecting:
        return redirect(wanted or settings.LOGIN_REDIRECT_URL)
    try:
        address, sent = provider.authorization_request(ours, redirect_uri=_return_address(request))
    except ProviderUnavailable as error:
        return _unavailable(request, ours, error)
    account = request.user.pk if connecting else None
    response = redirect(address)
    pending.keep(response, replace(sent, wanted=wanted, account=account))
    return response


@public
@never_cache
@require_safe
def provider_return(request: HttpRequest) -> HttpResponse:
    """Back from the provider: sign in, or connect the account of whoever went there."""
    ours = _settings()
    try:
        counted = throttling.count_link(request)
    except throttling.TooManyAttempts as refusal:
        return too_many(request, _REFUSED, refusal, provider=ours)
    try:
        response = _answered(request, ours)
        counted.succeeded()
    except SignInRefused as refused:
        record(
            SecurityEvent.PROVIDER_REFUSED,
            reason=str(refused.reason),
            detail=refused.detail,
            address_key=origin_of(request),
        )
        sentence, mend = (text.format(title=ours.title) for text in SENTENCES[refused.reason])
        response = _refused_page(request, ours, sentence, mend, status=403)
    except ProviderUnavailable as error:
        response = _unavailable(request, ours, error)
    pending.forget(response)
    return response


@public
@never_cache
@require_safe
def provider_sign_out(request: HttpRequest) -> HttpResponse:
    """To the page of the provider where one signs out there; it leads back here."""
    from budgeteer.accounts.single_sign_on import provider

    ours = _settings()
    return_to = request.build_absolute_uri(reverse("accounts:sign_in"))
    try:
        address = provider.sign_out_address(ours, return_to=return_to)
    except ProviderUnavailable as error:
        return _unavailable(request, ours, error)
    if not address:
        messages.info(request, f"{ours.title} has no address to sign out at. Close the browser, or sign out there.")
        return redirect("accounts:sign_in")
    return redirect(address)


@access(write=AccountRole.VIEWER)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def single_sign_on(request: SignedInRequest) -> HttpResponse:
    """Whether one's account is connected; a post with the password allows to connect it, for five minutes."""
    ours = identities.provider_settings()
    if request.method != "POST":
        return _page(request, ours)
    if ours is None:
        raise Http404
    refused = _without_password(request, ours)
    if refused is not None:
        return refused
    request.session[_MAY_CONNECT] = (timezone.now() + CONNECT_TIME).timestamp()
    return redirect("accounts:single_sign_on")


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def disconnect(request: SignedInRequest) -> HttpResponse:
    """Take the connection away, with the password; an account that has none would be left without a way in."""
    ours = identities.provider_settings()
    if ours is None:
        raise Http404
    if not request.user.has_usable_password():
        return _page(request, ours, problem="no password", status=422)
    refused = _without_password(request, ours)
    if refused is not None:
        return refused
    if identities.disconnect(request.user, by=request.user.pk):
        messages.success(request, f"Your account is no longer connected to {ours.title}.")
    return redirect("accounts:single_sign_on")


def _answered(request: HttpRequest, ours: ProviderSettings) -> HttpResponse:
    from budgeteer.accounts.single_sign_on import provider

    sent = pending.kept(request)
    if sent is None or not constant_time_compare(sent.state, request.GET.get("state", "")):
        raise SignInRefused(RefusalReason.BEGUN_ELSEWHERE)
    claims = provider.claims_of(ours, request.GET.dict(), sent, redirect_uri=_return_address(request))
    if sent.account is not None:
        return _connected(request, ours, claims, sent)
    user = identities.account_of(claims, ours)
    if second_factor.is_set_up(user):
        half_signed_in.begin(request, user, backend=_BACKEND)
        request.session[SIGNED_IN_BY_PROVIDER] = True
        query = f"?{urlencode({'next': sent.wanted})}" if sent.wanted else ""
        return redirect(f"{reverse('accounts:sign_in_code')}{query}")
    login(request, user, backend=_BACKEND)
    request.session[SIGNED_IN_BY_PROVIDER] = True
    return redirect(sent.wanted or settings.LOGIN_REDIRECT_URL)


def _connected(
    request: HttpRequest, ours: ProviderSettings, claims: ProviderClaims, sent: pending.PendingSignIn
) -> HttpResponse:
    """Connect the account, if whoever comes back is who went, and gave the password for it."""
    if not isinstance(request.user, User) or request.user.pk != sent.account or not _may_connect(request):
        raise SignInRefused(RefusalReason.BEGUN_ELSEWHERE)
    del request.session[_MAY_CONNECT]
    identities.connect(request.user, claims)
    messages.success(request, f"Your account is connected to {ours.title}. It signs you in from now on.")
    return redirect("accounts:single_sign_on")


def _page(
    request: SignedInRequest, ours: ProviderSettings | None, *, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "provider": ours,
        "identity": identities.identity_of(request.user, ours.issuer) if ours else None,
        "may_connect": _may_connect(request),
        "has_password": request.user.has_usable_password(),
        "refusal_of_password": own_password.refusal(request),
        "problem": problem,
    }
    return render(request, _PAGE, context, status=status)


def _without_password(request: SignedInRequest, ours: ProviderSettings) -> HttpResponse | None:
    """The page again, where the password that has to come with it is wrong or was tried too often; else None."""
    try:
        return None if own_password.is_confirmed(request) else _page(request, ours, problem="password", status=422)
    except throttling.TooManyAttempts as refusal:
        return too_many(request, _PAGE, refusal, provider=ours)


def _may_connect(request: HttpRequest) -> bool:
    until = request.session.get(_MAY_CONNECT, 0.0) if request.user.is_authenticated else 0.0
    return bool(until > timezone.now().timestamp())


def _settings() -> ProviderSettings:
    """Raise Http404 where no provider is set."""
    ours = identities.provider_settings()
    if ours is None:
        raise Http404
    return ours


def _return_address(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("accounts:provider_return"))


def _unavailable(request: HttpRequest, ours: ProviderSettings, error: ProviderUnavailable) -> HttpResponse:
    log.warning("sign-in provider unavailable", reason=str(error))
    mend = "Try again in a minute, or sign in with your password. Administrators see more with `budgeteer doctor`."
    return _refused_page(
        request, ours, f"{ours.title} cannot be used now.", mend, status=HTTPStatus.SERVICE_UNAVAILABLE
    )


def _refused_page(
    request: HttpRequest, ours: ProviderSettings, sentence: str, mend: str, *, status: int
) -> HttpResponse:
    context = {"provider": ours, "sentence": sentence, "mend": mend}
    return render(request, _REFUSED, context, status=status)
