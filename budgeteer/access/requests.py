"""SignedInRequest: the type of a request in a view that only signed-in readers reach."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class SignedInRequest(HttpRequest):
    """A signed-in request, as this project's middleware hands it on."""

    htmx: HtmxDetails
    user: User
