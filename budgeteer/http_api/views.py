"""The page that describes the API, the OpenAPI document it is made from, and addresses that are none."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from budgeteer.access.bearer import API_ROOT
from budgeteer.access.problems import ProblemKind, problem
from budgeteer.access.rules import access, public
from budgeteer.http_api.interface import openapi_document
from budgeteer.http_api.reference import groups_of, shapes_of
from budgeteer.tokens.scopes import Scope


@public
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, bodies and answers; our own page, which loads nothing from elsewhere."""
    context = {
        "groups": groups_of(openapi_document()),
        "shapes": shapes_of(openapi_document()),
        "problems": list(ProblemKind),
        "scopes": list(Scope),
        "root": request.build_absolute_uri(API_ROOT),
    }
    return render(request, "http_api/reference.html", context)


@public
@csrf_exempt
@require_safe
def openapi(_request: HttpRequest) -> HttpResponse:
    """The OpenAPI document, the same for everybody."""
    return JsonResponse(openapi_document())


@access()
@csrf_exempt
def unknown(_request: HttpRequest, rest: str) -> HttpResponse:
    """An address below the root that no operation has."""
    return problem(ProblemKind.NOT_FOUND, "there is no such address", where=f"{API_ROOT}{rest}", hint="See /api/")
