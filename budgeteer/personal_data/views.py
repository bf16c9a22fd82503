"""The page of one's own data: download all of it, delete the account."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpResponse, HttpResponseNotAllowed, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.requests import SignedInRequest
from budgeteer.access.rules import AccountRole, access, is_last_administrator
from budgeteer.accounts import own_password, throttling
from budgeteer.accounts.sign_in_answers import too_many
from budgeteer.personal_data import services
from budgeteer.personal_data.export import members_of
from budgeteer.personal_data.zip_stream import zipped

_PAGE = "personal_data/overview.html"


@access()
@never_cache
@require_safe
def own_data(request: SignedInRequest) -> HttpResponse:
    """What there is of the reader, the download of it and, in team mode, the deletion of the account."""
    return _page(request)


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def download(request: SignedInRequest) -> StreamingHttpResponse:
    """Everything as one archive, made while it is sent."""
    record(SecurityEvent.DATA_DOWNLOADED, account=request.user.pk)
    response = StreamingHttpResponse(zipped(members_of(request.user)), content_type="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="budgeteer-{timezone.now():%Y-%m-%d}.zip"'
    response.headers["Content-Encoding"] = "identity"  # or it would be compressed a second time
    return response


@access(write=AccountRole.VIEWER)
@never_cache
@require_POST
def delete(request: SignedInRequest) -> HttpResponse:
    """Close the account and delete everything it has: with the own password, and the typed name of the account."""
    if settings.BUDGETEER_MODE == "local":
        return HttpResponseNotAllowed([])
    if request.POST.get("name", "").strip() != request.user.get_username():
        return _page(request, problem="name", status=422)
    try:
        if not own_password.is_confirmed(request):
            return _page(request, problem="password", status=422)
        services.close_for_deletion(request.user)
    except throttling.TooManyAttempts as refusal:
        return too_many(request, _PAGE, refusal)
    except services.LastAdministrator:
        return _page(request, status=422)
    logout(request)
    messages.success(request, "Your account is closed, and everything in it is being deleted.")
    return redirect("accounts:sign_in")


def _page(request: SignedInRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    """The page; `problem` is what of the form was wrong: "name", "password" or nothing."""
    user = request.user
    context = {
        "overview": services.overview_of(user),
        "problem": problem,
        "has_password": user.has_usable_password(),
        "refusal_of_password": own_password.refusal(request),
        "is_last_administrator": is_last_administrator(user),
        "typed_name": request.POST.get("name", ""),
    }
    return render(request, _PAGE, context, status=status)
