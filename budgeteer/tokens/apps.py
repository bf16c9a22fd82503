"""The app's registration with Django."""

from typing import override

from django.apps import AppConfig


class TokensConfig(AppConfig):
    """Registers `budgeteer.tokens` under the label `tokens`."""

    name = "budgeteer.tokens"
    label = "tokens"

    @override
    def ready(self) -> None:
        """Say how the token of a request of the HTTP API is looked up."""
        from budgeteer.access.bearer import register_lookup
        from budgeteer.tokens.services import look_up

        register_lookup(look_up)
