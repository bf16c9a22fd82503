"""The JSON bodies of the API: bounded in depth, with errors that name line and column."""

from __future__ import annotations

from typing import Any, Final, override

from django.http import HttpRequest
from ninja.parser import Parser

from budgeteer.access.body_limits import JSON
from budgeteer.access.problems import ApiProblem, ProblemKind
from budgeteer.formats.reading.json_text import JsonProblem, parse

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
        return value


def not_json(request: HttpRequest) -> ApiProblem:
    """The problem of a body of another type where JSON is taken."""
    what = f"the body is {request.content_type or 'of no type'}, and JSON is taken here"
    return ApiProblem(ProblemKind.MEDIA, what, where="Content-Type", hint=f"Send it as {JSON}")
