"""The API as a whole: its operations, and its description as an OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from ninja import NinjaAPI, Router
from ninja.operation import Operation

from budgeteer import __version__
from budgeteer.access.bearer import API_ROOT
from budgeteer.access.problems import MEDIA_TYPE
from budgeteer.http_api.body_parser import BodyParser
from budgeteer.http_api.errors import HANDLED, answer_to
from budgeteer.http_api.operations import account, collections, jobs, packing, presets, reports, sources, workspaces
from budgeteer.http_api.routing import Declared, ProblemOut, declared_of

TITLE: Final = "Budgeteer"
_DESCRIPTION: Final = (
    "See what fits in a prompt, what does not, and why. Every request but that for this document carries a personal "
    "access token: `Authorization: Bearer bgt_…`. Errors are problem documents (RFC 9457) with `where` and `hint`."
)
#: Every router, in the order of the documentation, with the tag of its operations.
ROUTERS: Final[Mapping[str, Router]] = {
    "Account": account.router,
    "Sources": sources.router,
    "Workspaces": workspaces.router,
    "Packing": packing.router,
    "Jobs": jobs.router,
    "Collections": collections.router,
    "Presets": presets.router,
    "Reports": reports.router,
}


def build_api() -> NinjaAPI:
    """The API with every router; its own pages of documentation are off, since they load scripts from elsewhere."""
    api = NinjaAPI(
        title=TITLE,
        version=__version__,
        description=_DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        urls_namespace="http_api",
        parser=BodyParser(),
    )
    for tag, router in ROUTERS.items():
        api.add_router("", router, tags=[tag])
    for kind in HANDLED:
        api.add_exception_handler(kind, answer_to)
    return api


#: The one there is.
api: Final = build_api()


def operations_by_route() -> Iterator[tuple[str, dict[str, Declared]]]:
    """Every address of the API as a Django pattern below API_ROOT, with its operations by method."""
    for router in ROUTERS.values():
        for path, view in router.path_operations.items():
            by_method = {method: declared_of(one.view_func) for one in view.operations for method in one.methods}
            yield path.lstrip("/").replace("{", "<").replace("}", ">"), by_method


def _operations() -> Iterator[Operation]:
    """Every operation, as ninja has it."""
    return (one for router in ROUTERS.values() for view in router.path_operations.values() for one in view.operations)


@cache
def openapi_document() -> dict[str, Any]:
    """The OpenAPI document."""
    document: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=API_ROOT))
    document["servers"] = [{"url": "/"}]
    document["components"]["schemas"][ProblemOut.__name__] = ProblemOut.model_json_schema()
    problem = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{ProblemOut.__name__}"}}}
    errors = {one.operation_id: declared_of(one.view_func).errors for one in _operations()}
    for described in _operations_of(document):
        for status in errors[described["operationId"]]:
            described["responses"][status] = {"description": HTTPStatus(status).phrase, "content": problem}
    return document


def _operations_of(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()
