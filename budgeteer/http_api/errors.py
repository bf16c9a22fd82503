"""Errors that operations raise, as problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import HttpError, ValidationError

from budgeteer.access.problems import ApiProblem, ProblemKind, problem
from budgeteer.engine.errors import BudgetExceeded, InputError, TokenizerUnavailable
from budgeteer.sources.files.storage import StorageAway
from budgeteer.sources.storage_quota import QuotaExceeded

#: What `answer_to` is told of; the last one is everything else.
HANDLED: Final[tuple[type[Exception], ...]] = (
    ApiProblem,
    InputError,
    BudgetExceeded,
    TokenizerUnavailable,
    Http404,
    HttpError,
    ValidationError,
    Exception,
)

#: The kind of an input error that is not the input's own fault; any other is INVALID.
_KINDS: Final[Mapping[type[InputError], ProblemKind]] = {
    StorageAway: ProblemKind.AWAY,
    QuotaExceeded: ProblemKind.QUOTA,
}


def answer_to(_request: HttpRequest, error: Any) -> HttpResponse:
    """The answer to an error that an operation raised.

    One that nobody foresaw is raised again: Django logs it and answers with `handler500`.
    """
    raised = error if isinstance(error, ApiProblem) else error.__cause__  # what the parser raised comes wrapped
    if isinstance(raised, ApiProblem):
        return raised.response()
    match error:
        case InputError():
            kinds = (kind for raised_as, kind in _KINDS.items() if isinstance(error, raised_as))
            return ApiProblem.of(error, next(kinds, ProblemKind.INVALID)).response()
        case BudgetExceeded():
            return problem(
                ProblemKind.OVER_BUDGET,
                error.sentence,
                where=error.section,
                section=error.section,
                cause=error.cause,
                neededTokens=error.needed_tokens,
                allowedTokens=error.allowed_tokens,
            )
        case TokenizerUnavailable():
            return problem(ProblemKind.INVALID, error.sentence, where="model")
        case Http404():
            return problem(ProblemKind.NOT_FOUND, "there is none of that id, or it is not yours")
        case ValidationError():
            return _invalid(error)
        case HttpError():
            return problem(ProblemKind.MALFORMED, "the body cannot be read", where="body")
    raise error


def _invalid(error: ValidationError) -> HttpResponse:
    """The first thing that is wrong with what was sent; `errors` lists all of them, at most some dozens."""
    listed = [{"where": _place(one["loc"]), "detail": str(one["msg"])} for one in error.errors[:30]]
    first = listed[0]
    return problem(ProblemKind.INVALID, first["detail"], where=first["where"], errors=listed)


def _place(location: tuple[Any, ...]) -> str:
    """The path of a value: where it came from, without the name of the parameter that a whole body is."""
    parts = [str(part) for part in location if part != "payload"]
    return ".".join(parts)
