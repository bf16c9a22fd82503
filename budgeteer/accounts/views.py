"""Signing in and out and changing a password."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast, override
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView, PasswordResetConfirmView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django.views.generic import FormView

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.rules import AccountRole, access, public
from budgeteer.accounts import services, throttling
from budgeteer.accounts.change_letters import AccountChange, notify_of_change
from budgeteer.accounts.forms import LostPasswordForm
from budgeteer.accounts.password_links import LINKS_JOB, accounts_of, valid_time
from budgeteer.accounts.second_factor import half_signed_in
from budgeteer.accounts.second_factor import services as second_factor
from budgeteer.accounts.sessions.services import end_sessions
from budgeteer.accounts.sign_in_answers import too_many
from budgeteer.accounts.sign_in_log import origin_of
from budgeteer.accounts.single_sign_on.identities import provider_settings
from budgeteer.accounts.single_sign_on.views import SIGNED_IN_BY_PROVIDER
from budgeteer.jobs.services import enqueue

if TYPE_CHECKING:
    _LostPasswordView = FormView[LostPasswordForm]
else:  # Django's views are no generics at run time
    _LostPasswordView = FormView


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
    except throttling.TooManyAttempts as refusal:
        return too_many(request, "accounts/link_used.html", refusal)
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
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        signed_out = self.request.GET.get("signed-out") == "provider"
        return super().get_context_data(**kwargs) | {"provider": provider_settings(), "signed_out": signed_out}

    @override
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            self.counted = throttling.count_password(request, request.POST.get("username", ""))
        except throttling.TooManyAttempts as refusal:
            form = AuthenticationForm(request, initial={"username": request.POST.get("username", "")})
            return too_many(request, self.template_name, refusal, **self.get_context_data(form=form))
        return super().post(request, *args, **kwargs)

    @override
    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        self.counted.succeeded()
        user = form.get_user()
        if second_factor.is_set_up(user):
            half_signed_in.begin(self.request, user, backend=user.backend)
            query = urlencode({"next": self.get_redirect_url()} if self.get_redirect_url() else {})
            return redirect(f"{reverse('accounts:sign_in_code')}{f'?{query}' if query else ''}")
        return super().form_valid(form)

    @override
    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        """Where the reader wanted to go; signing in leads anywhere but to signing in."""
        wanted = super().get_redirect_url(request)
        return "" if wanted.split("?", maxsplit=1)[0] == self.request.path else wanted


@access(write=AccountRole.VIEWER)
class SignOut(LogoutView):
    """Ends the session; one that began at the provider may go on there, and the page that follows says so."""

    @override
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.session.get(SIGNED_IN_BY_PROVIDER) and provider_settings() is not None:
            self.next_page = f"{reverse('accounts:sign_in')}?{urlencode({'signed-out': 'provider'})}"
        return super().post(request, *args, **kwargs)


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
        except throttling.TooManyAttempts as refusal:
            return too_many(request, self.template_name, refusal, form=PasswordChangeForm(cast(User, request.user)))
        return super().post(request, *args, **kwargs)

    @override
    def form_valid(self, form: Any) -> HttpResponse:
        self.counted.succeeded()
        record(SecurityEvent.PASSWORD_CHANGED, account=self.request.user.pk, by=self.request.user.pk)
        notify_of_change(cast(User, self.request.user), AccountChange.PASSWORD)
        messages.success(self.request, "Your password is changed. Other browsers and devices are signed out.")
        return super().form_valid(form)


@public
@method_decorator(never_cache, name="dispatch")
class LostPassword(_LostPasswordView):
    """Ask for a letter with a link that sets a new password; without a mail server, who can hand one out.

    Every address gets the same answer after the same work, so that nobody learns whose accounts there are.
    """

    template_name = "accounts/lost_password.html"
    form_class = LostPasswordForm

    @override
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": bool(settings.MAILERS), "valid": valid_time()}

    @override
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if settings.BUDGETEER_MODE == "local" or not settings.MAILERS:
            return HttpResponseNotAllowed(["GET"])
        return super().post(request, *args, **kwargs)

    @override
    def form_valid(self, form: LostPasswordForm) -> HttpResponse:
        address = form.cleaned_data["address"]
        try:
            throttling.count_letter(self.request, address)
        except throttling.TooManyAttempts as refusal:
            context = self.get_context_data(form=form)
            return too_many(self.request, self.template_name, refusal, **context)
        record(SecurityEvent.PASSWORD_LINK_ASKED, address_key=origin_of(self.request))
        found = [user.pk for user in accounts_of(address)]
        # Anybody may ask for a letter to anybody, by any port and, with a pattern in ALLOWED_HOSTS, many a host.
        site = settings.MAIL_SITE or self.request.build_absolute_uri("/").rstrip("/")
        # A job in any case: an answer takes as long for an address that nobody has. One for each account that shares
        # the address, so that a mail server's outage between two letters neither loses nor doubles one.
        with transaction.atomic():
            for accounts in [[pk] for pk in found] or [[]]:
                enqueue(LINKS_JOB, arguments={"accounts": accounts, "site": site}, owner=None)
        return render(self.request, self.template_name, self.get_context_data(form=form, asked=address))


@public
@method_decorator(never_cache, name="dispatch")
class NewPassword(PasswordResetConfirmView):
    """Set a password by a link; then one signs in with it. Every session of the account ends."""

    template_name = "accounts/new_password.html"
    success_url = reverse_lazy("accounts:sign_in")

    @override
    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            counted = throttling.count_link(self.request)
        except throttling.TooManyAttempts as refusal:
            return too_many(self.request, self.template_name, refusal)
        response: HttpResponseBase = super().dispatch(*args, **kwargs)
        if self.validlink or response.status_code == HTTPStatus.FOUND:
            counted.succeeded()
        else:
            response.status_code = HTTPStatus.GONE
        return response

    @override
    def get_user(self, uidb64: str) -> User | None:
        """The account, while it is open; local mode has no passwords."""
        user = super().get_user(uidb64)
        return user if user is not None and user.is_active and settings.BUDGETEER_MODE != "local" else None

    @override
    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        end_sessions(form.user)
        throttling.forget_name(form.user.get_username())
        record(SecurityEvent.PASSWORD_CHANGED, account=form.user.pk, by=form.user.pk)
        notify_of_change(form.user, AccountChange.PASSWORD)
        messages.success(self.request, "Your password is set. Sign in with it.")
        return response
