"""Health and readiness answered before other middleware, and refused and failed requests as a page.

A supervisor asks by address, and must not depend on sessions.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404, ResolverMatch, resolve

from budgeteer.access.bearer import is_api


class ProbeMiddleware:
    """Answers this room's URLs itself, whatever the `Host` header says.

    A container or a load balancer asks for 127.0.0.1 or an address of its network, which no list of allowed hosts
    names. The two answers repeat nothing of the request and set no cookie, so a forged host gains nothing by it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        match = _find(request.path_info)
        if match is None:
            return self.get_response(request)
        request.resolver_match = match
        answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        return answer


class MethodMiddleware:
    """Answers a method that an address does not take with a page, where the view left the answer empty.

    Somebody gets there who types the address of a form, or reloads what a form led to.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 405 or not isinstance(response, HttpResponse) or response.content:
            return response
        if is_api(request.path_info) or not request.accepts("text/html"):
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers["Allow"]
        return page


class ViewPanicked(RuntimeError):
    """A view ended in what is no Exception; its cause says in what."""


class PanicMiddleware:
    """Turns a panic of native code into an error that Django answers with its page and logs.

    Django catches what is an Exception; anything else would reach the server and be answered by an empty 500.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.get_response(request)
        except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as panic:
            raise ViewPanicked("the view broke off on what is no Exception") from panic


def _find(path: str) -> ResolverMatch | None:
    try:
        return resolve(path, urlconf="budgeteer.operations.urls")
    except Resolver404:
        return None
