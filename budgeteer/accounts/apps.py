"""The app's registration with Django."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers `budgeteer.accounts` under the label `accounts`."""

    name = "budgeteer.accounts"
    label = "accounts"
