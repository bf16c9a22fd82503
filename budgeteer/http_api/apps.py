"""The app's registration with Django."""

from django.apps import AppConfig


class HttpApiConfig(AppConfig):
    """Registers `budgeteer.http_api` under the label `http_api`."""

    name = "budgeteer.http_api"
    label = "http_api"
