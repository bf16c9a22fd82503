"""What every template may know about how this dashboard is run."""

from django.conf import settings
from django.http import HttpRequest


def mode(_request: HttpRequest) -> dict[str, str]:
    """`budgeteer_mode`: "local" or "team"."""
    return {"budgeteer_mode": settings.BUDGETEER_MODE}
