"""The JSON bodies of the API: bounded in depth, of finite numbers, with errors that name their place."""

from __future__ import annotations

import math
from typing import Any, Final, override

from django.http import HttpRequest
from ninja.parser import Parser

from budgeteer.access.body_limits import JSON
from budgeteer.access.problems import ApiProblem, ProblemKind
from budgeteer.formats.reading.json_text import JsonProblem, parse
from budgeteer.http_api.routing import not_json

DEPTH: Final = 100
"""How deep a body may be nested; schemas of tools, the deepest there is of ours, have some twenty levels."""


class BodyParser(Parser):
    """Reads a body as the importers read JSON."""

    @override
    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        if request.content_type != JSON:
            raise not_json(request)
        try:
            value = parse(request.body.decode(), depth_limit=DEPTH)
        except UnicodeDecodeError as error:
            what = f"the body is not UTF-8 at byte {error.start:,}"
            raise ApiProblem(ProblemKind.MALFORMED, what, where="body") from None
        except JsonProblem as error:
            where = f"body, line {error.line}, column {error.column}" if error.line else "body"
            raise ApiProblem(ProblemKind.MALFORMED, f"the body is not JSON: {error.why}", where=where) from None
        if not isinstance(value, dict):
            raise ApiProblem(ProblemKind.INVALID, "the body is no JSON object", where="body")
        if place := _not_finite(value, "body"):
            what = "the number is not finite, and JSON has no such number"
            raise ApiProblem(ProblemKind.INVALID, what, where=place)
        return value


def _not_finite(value: Any, place: str) -> str:
    """Where the first number stands that is NaN or infinite, be it by its size; "" where there is none."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else place
    if isinstance(value, dict):
        inner = ((one, f"{place}.{key}") for key, one in value.items())
    elif isinstance(value, list):
        inner = ((one, f"{place}.{number}") for number, one in enumerate(value))
    else:
        return ""
    return next((found for one, where in inner if (found := _not_finite(one, where))), "")
