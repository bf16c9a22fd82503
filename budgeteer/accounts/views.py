"""Signing in and out and changing a password."""

from __future__ import annotations

from typing import Any, cast, override

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.rules import AccountRole, access, public
from budgeteer.accounts import services, throttling
from budgeteer.accounts.sign_in_log import origin_of


@public
@never_cache
@require_GET
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Spend a one-time link and sign its user in; a spent one says how to get another.

    A browser that fetches links ahead of a click does not spend them.
    """
    if "prefetch" in request.headers.get("Sec-Purpose", ""):
        return HttpResponse(status=204)
    try:
        counted = throttling.count_link(request)
    except throttling.TooManyTries as refusal:
        return _too_many(request, "accounts/link_used.html", refusal)
    user = services.spend_sign_in_token(token)
    if user is not None:
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        counted.succeeded()
    elif not request.user.is_authenticated:
        record(SecurityEvent.SIGN_IN_FAILED, address_key=origin_of(request))
        minutes = settings.SIGN_IN_LINK_MINUTES
        return render(request, "accounts/link_used.html", {"minutes": minutes}, status=410)
    return redirect(settings.LOGIN_REDIRECT_URL)


@public
@method_decorator(never_cache, name="dispatch")
class SignIn(LoginView):
    """Name and password; in local mode, how to get a sign-in link."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    @override
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            self.counted = throttling.count_password(request, request.POST.get("username", ""))
        except throttling.TooManyTries as refusal:
            form = AuthenticationForm(request, initial={"username": request.POST.get("username", "")})
            return _too_many(request, self.template_name, refusal, **self.get_context_data(form=form))
        return super().post(request, *args, **kwargs)

    @override
    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        self.counted.succeeded()
        return super().form_valid(form)

    @override
    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        """Where the reader wanted to go; signing in leads anywhere but to signing in."""
        wanted = super().get_redirect_url(request)
        return "" if wanted.split("?", maxsplit=1)[0] == self.request.path else wanted


@access(write=AccountRole.VIEWER)
class SignOut(LogoutView):
    """Ends the session."""


@access(write=AccountRole.VIEWER)
@method_decorator(never_cache, name="dispatch")
class Password(PasswordChangeView):
    """Change one's own password: this session goes on, all others of the account end. Local mode has none."""

    template_name = "accounts/password.html"
    success_url = reverse_lazy("workbench:home")

    @override
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if settings.BUDGETEER_MODE == "local":
            return HttpResponseNotAllowed(["GET"])
        try:
            self.counted = throttling.count_password(request, request.user.get_username())
        except throttling.TooManyTries as refusal:
            return _too_many(request, self.template_name, refusal, form=PasswordChangeForm(cast(User, request.user)))
        return super().post(request, *args, **kwargs)

    @override
    def form_valid(self, form: Any) -> HttpResponse:
        self.counted.succeeded()
        record(SecurityEvent.PASSWORD_CHANGED, account=self.request.user.pk, by=self.request.user.pk)
        messages.success(self.request, "Your password is changed. Other browsers and devices are signed out.")
        return super().form_valid(form)


def _too_many(request: HttpRequest, template: str, refusal: throttling.TooManyTries, **context: Any) -> HttpResponse:
    record(SecurityEvent.SIGN_IN_LIMITED, address_key=origin_of(request), seconds=refusal.seconds)
    response = render(request, template, {**context, "refusal": str(refusal)}, status=429)
    response.headers["Retry-After"] = str(refusal.seconds)
    return response
