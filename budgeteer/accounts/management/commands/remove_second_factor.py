"""`manage.py remove_second_factor NAME`: for the last administrator who lost the app and the recovery codes."""

from __future__ import annotations

from argparse import ArgumentParser

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from budgeteer.accounts.second_factor import services


class Command(BaseCommand):
    """Removes it; the password alone signs the account in again."""

    help = "Remove the second factor of an account, by its name."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="The account's name.")

    def handle(self, *_args: object, name: str, **_options: object) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"there is no account {name!r}")
        if not services.remove_all(user, by=None):
            raise CommandError(f"the account {name!r} has no second factor and no passkey")
        self.stdout.write(f"Removed the second factor and passkeys of {name}.")
