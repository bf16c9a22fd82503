"""The app's registration with Django."""

from typing import override

from django.apps import AppConfig
from django.core import checks


class AccountsConfig(AppConfig):
    """Registers `budgeteer.accounts` under the label `accounts`."""

    name = "budgeteer.accounts"
    label = "accounts"

    @override
    def ready(self) -> None:
        """Register the check that no view is without a rule, and what is noted of a sign-in."""
        from budgeteer.accounts import sign_in_log  # noqa: F401 - it connects its receivers
        from budgeteer.accounts.audit_log import entries  # noqa: F401 - as above
        from budgeteer.accounts.checks import check_every_view_has_a_rule
        from budgeteer.accounts.sessions import services  # noqa: F401 - as above

        checks.register(check_every_view_has_a_rule, checks.Tags.security)
