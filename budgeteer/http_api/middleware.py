"""Every request of the API: counted, its answer with the headers of the rate limit, and every error as a problem."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.access.bearer import TokenProblem, bearer_of, is_api
from budgeteer.access.problems import MEDIA_TYPE, ProblemKind, problem, problem_of_status
from budgeteer.accounts.sign_in_log import origin_of
from budgeteer.http_api import rate_limits

_NOTHING_SENT = frozenset({TokenProblem.MISSING, TokenProblem.MALFORMED})


class ApiMiddleware:
    """Holds senders to the rate limit. What another part of the dashboard refused as a page becomes a problem."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_api(request.path_info):
            return self.get_response(request)
        standing = rate_limits.count(request)
        response = self._refusal(standing) if standing.is_over else _as_problem(self.get_response(request))
        standing.write_headers(response)
        found = bearer_of(request)
        if isinstance(found, TokenProblem) and found not in _NOTHING_SENT and not standing.is_over:
            record(SecurityEvent.TOKEN_REFUSED, reason=found.value, address_key=origin_of(request))
        return response

    @staticmethod
    def _refusal(standing: rate_limits.RateStanding) -> HttpResponse:
        what = f"more than {standing.limit:,} requests came within a minute"
        return problem(ProblemKind.RATE, what, hint=f"Wait {standing.seconds_left} s, then send it again")


def _as_problem(response: HttpResponseBase) -> HttpResponseBase:
    is_error = response.status_code >= 400
    if not is_error or str(response.headers.get("Content-Type", "")).startswith(MEDIA_TYPE):
        return response
    answer = problem_of_status(response.status_code)
    for name in ("Allow", "Retry-After", "WWW-Authenticate"):
        if name in response.headers:
            answer.headers[name] = response.headers[name]
    return answer
