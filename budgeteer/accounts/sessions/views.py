"""The page of one's sessions: see where one is signed in, and end what is not wanted."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access
from budgeteer.accounts.sessions.browsers import browser_words
from budgeteer.accounts.sessions.services import end_session, end_sessions, sessions_of


@access(read=AccountRole.VIEWER)
@never_cache
@require_http_methods(["GET", "HEAD"])
def sessions(request: SignedInRequest) -> HttpResponse:
    """List the account's sessions, this one first."""
    found = sessions_of(request.user, this=request.session.session_key)
    rows = [(session, browser_words(session.user_agent)) for session in found]
    return render(request, "accounts/sessions.html", {"rows": rows, "others": len(rows) - 1})


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def end_one_session(request: SignedInRequest) -> HttpResponse:
    """End the session that the form names; where it has ended already, the page says so."""
    if end_session(request.user, request.POST.get("session", "")):
        record(SecurityEvent.SESSIONS_ENDED, account=request.user.pk, sessions=1)
        messages.success(request, "That session was ended.")
    else:
        messages.info(request, "That session had ended already.")
    return redirect("accounts:sessions")


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def end_other_sessions(request: SignedInRequest) -> HttpResponse:
    """End every session but this one."""
    ended = end_sessions(request.user, besides=request.session.session_key)
    record(SecurityEvent.SESSIONS_ENDED, account=request.user.pk, sessions=ended)
    many = "1 other session was" if ended == 1 else f"{ended:,} other sessions were"
    messages.success(request, f"{many} ended. You are signed in here alone.")
    return redirect("accounts:sessions")
