"""How an operation is declared, and what is looked at before it runs: the scope of the token, the idempotency key.

An operation is a function with `@route(router, "GET", "/sources", scope=Scope.SOURCES_READ, …)`. The rule of its
address (access/rules.py) follows from the scopes of its operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, override

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from ninja import Router, Schema
from ninja.security import HttpBearer
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from budgeteer.access.bearer import TokenHolder, bearer_of
from budgeteer.access.body_limits import JSON, MULTIPART
from budgeteer.access.problems import ApiProblem, ProblemKind, no_token, problem
from budgeteer.access.rules import AccessRule, AccountRole
from budgeteer.http_api import etags, idempotency
from budgeteer.tokens.scopes import Scope


class ApiSchema(Schema):
    """A body or an answer: keys in camel case, as in all JSON of ours."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class InputSchema(ApiSchema):
    """A body: a key that is not listed is refused, so that a misspelt one is not passed by."""

    model_config = ConfigDict(extra="forbid")


class ProblemOut(BaseModel):
    """An error (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    where: str
    hint: str


#: Errors that any operation may answer with.
_ALWAYS: Final = (400, 401, 403, 404, 405, 422, 429, 500, 503)
#: Those of operations that take a body, and of those that take a key.
_OF_BODIES: Final = (408, 413, 415, 507)
_JSON_BODIES: Final = frozenset({"json", "document"})
_KEY_PARAMETER: Final = {
    "name": idempotency.HEADER,
    "in": "header",
    "required": False,
    "description": "Sent again with the same request within a day, it gives the first answer and does nothing again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": idempotency.KEY_CHARS, "pattern": "^[!-~]+$"},
}


@dataclass(frozen=True, slots=True)
class Declared:
    """What is declared of one operation.

    Attributes:
        reading: the scope of those who are answered what it changed; others are answered that it is done (204).
        is_keyed: it takes an idempotency key. takes_json: its body is JSON.
        errors: the statuses of the problems that it may answer with, ascending.
    """

    scope: Scope | None
    reading: Scope | None
    is_keyed: bool
    takes_json: bool
    takes_documents: bool
    takes_uploads: bool
    errors: tuple[int, ...]


class PersonalToken(HttpBearer):
    """The scope that an operation wants; None for any token that is valid. The middleware has looked the token up."""

    def __init__(self, scope: Scope | None) -> None:
        super().__init__()
        self.scope = scope

    @override
    def authenticate(self, request: HttpRequest, token: str) -> TokenHolder:
        holder = bearer_of(request)
        if not isinstance(holder, TokenHolder) or (self.scope and self.scope.label not in holder.scopes):
            raise ApiProblem(ProblemKind.SCOPE, "the token has no such scope")
        return holder


def route(  # noqa: PLR0913 - an operation is declared in one place
    router: Router,
    method: str,
    path: str,
    *,
    scope: Scope | None,
    response: Any,
    status: int = 200,
    errors: tuple[int, ...] = (),
    is_keyed: bool = False,
    body: str = "",
    extra: Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an operation; `body` is "json", "document" (a large one), "upload", or "" for none.

    `errors` are statuses beside those that any operation has; `extra` is merged into its description.
    """
    statuses = {*_ALWAYS, *errors, *(_OF_BODIES if body else ()), *((409,) if is_keyed else ())}
    described: dict[str, Any] = {"x-scope": scope.label if scope else None, **(extra or {})}
    if is_keyed:
        described["parameters"] = [dict(_KEY_PARAMETER)]
    answers = response if isinstance(response, dict) else {status: response}
    # What is made is its maker's own words (201); what is changed may hold more than the token may read.
    reading = scope.reading if scope and method != "GET" and set(answers) == {HTTPStatus.OK} else None
    if reading is not None:
        answers = {**answers, HTTPStatus.NO_CONTENT.value: None}

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        problems = tuple(sorted(statuses - set(answers)))
        takes_json, takes_documents, takes_uploads = body in _JSON_BODIES, body == "document", body == "upload"
        declared = Declared(scope, reading, is_keyed, takes_json, takes_documents, takes_uploads, problems)
        function.declared = declared  # type: ignore[attr-defined]  # read by declared_of
        registered: Callable[..., Any] = router.api_operation(
            [method],
            path,
            auth=PersonalToken(scope),
            response=answers,  # problems are raised; interface.py describes them, without a model for each
            operation_id=function.__name__,
            url_name=function.__name__,
            by_alias=True,
            openapi_extra=described,
        )(function)
        return registered

    return declare


def declared_of(function: Callable[..., Any]) -> Declared:
    """What `route` was told about an operation."""
    declared: Declared = function.declared  # type: ignore[attr-defined]  # written by route
    return declared


def owner_of(request: HttpRequest) -> User:
    """The account that a request of the API speaks for."""
    assert isinstance(request.user, User)  # noqa: S101 - the guard lets no other through
    return request.user


def rule_of_operations(operations: Mapping[str, Declared]) -> AccessRule:
    """The access rule of an address, from the scopes of its operations by method."""
    reading = [_role(one) for method, one in operations.items() if method == "GET"]
    writing = [_role(one) for method, one in operations.items() if method != "GET"]
    return AccessRule(read=max(reading, default=AccountRole.VIEWER), write=max(writing, default=AccountRole.VIEWER))


def guarded(
    view: Callable[..., HttpResponseBase], operations: Mapping[str, Declared]
) -> Callable[..., HttpResponseBase]:
    """The view of an address behind its checks: method, token, scope, role, type of body, key, entity tag."""

    def checked(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        if request.method == "HEAD" and "GET" in operations:
            request.method = "GET"  # the server sends no body, and all else is the same
        declared = operations.get(request.method or "")
        if declared is None:
            return _not_allowed(request, operations)
        holder = bearer_of(request)
        if not isinstance(holder, TokenHolder):
            return no_token(request)
        if declared.scope is not None and declared.scope.label not in holder.scopes:
            return _without_scope(declared.scope)
        if declared.takes_json and request.content_type == MULTIPART:
            return not_json(request).response()  # a form has been read by now, and its body cannot be had again
        if declared.is_keyed:
            response = idempotency.answered_once(request, holder.user, lambda: view(request, **arguments))
        else:
            response = etags.conditional(request, view(request, **arguments))
        is_told = declared.reading is None or declared.reading.label in holder.scopes
        return response if is_told or response.status_code != HTTPStatus.OK else HttpResponse(status=204)

    return checked


def _role(declared: Declared) -> AccountRole:
    return declared.scope.role if declared.scope else AccountRole.VIEWER


def _not_allowed(request: HttpRequest, operations: Mapping[str, Declared]) -> HttpResponseBase:
    allowed = sorted({*operations, *({"HEAD"} if "GET" in operations else ())})
    answer = problem(ProblemKind.METHOD, f"{request.method} is not taken here", hint=f"Use {', '.join(allowed)}")
    answer.headers["Allow"] = ", ".join(allowed)
    return answer


def _without_scope(scope: Scope) -> HttpResponseBase:
    answer = problem(
        ProblemKind.SCOPE,
        f"the token has no scope {scope.label}",
        where="Authorization",
        hint="Make a token with it on the page Access tokens of your account",
        scope=scope.label,
    )
    answer.headers["WWW-Authenticate"] = f'Bearer realm="budgeteer", error="insufficient_scope", scope="{scope.label}"'
    return answer


def not_json(request: HttpRequest) -> ApiProblem:
    """The problem of a body of another type where JSON is taken."""
    what = f"the body is {request.content_type or 'of no type'}, and JSON is taken here"
    return ApiProblem(ProblemKind.MEDIA, what, where="Content-Type", hint=f"Send it as {JSON}")
