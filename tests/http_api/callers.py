"""A client of the API for tests: a token of any scopes, JSON in and out."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpResponse

    from budgeteer.tokens.scopes import Scope


def token_of(user: User, scopes: Iterable[Scope] | None = None, *, days: int = 30) -> str:
    """A new token of the user; of every scope that the role has use of, unless they are named."""
    from budgeteer.access.rules import role_of
    from budgeteer.tokens import services
    from budgeteer.tokens.scopes import scopes_for

    chosen = scopes_for(role_of(user)) if scopes is None else tuple(scopes)
    return services.make(user, services.TokenRequest("test", chosen, days)).secret


class Caller:
    """Sends requests with one token; "" sends none."""

    def __init__(self, token: str) -> None:
        from django.test import Client

        self.client = Client(SERVER_NAME="localhost", raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """One request below the root; `body` is sent as JSON; an underscore in a header's name stands for a dash."""
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        content = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        return self.client.generic(method, f"/api/v1{path}", headers=sent, **content)

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.send("POST", path, {} if body is None else body, **headers)

    def upload(self, path: str, content: bytes, *, name: str = "talk.json", fields: Any = None, **headers: str) -> Any:
        sent = {**self.headers, **{key.replace("_", "-"): value for key, value in headers.items()}}
        file = io.BytesIO(content)
        file.name = name
        return self.client.post(f"/api/v1{path}", {"file": file, **(fields or {})}, headers=sent)


def do_jobs() -> None:
    """Do every job that waits, and those that they ask for."""
    from budgeteer.jobs.execution import execute
    from budgeteer.jobs.models import Job

    while waiting := list(Job.objects.filter(state="queued")):
        for job in waiting:
            execute(job.id, job.attempt)
