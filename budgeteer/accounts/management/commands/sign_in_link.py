"""`manage.py sign_in_link`: a fresh one-time link into a dashboard that runs in local mode."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from budgeteer.accounts import services


class Command(BaseCommand):
    """Prints the link; it works once and for some minutes."""

    help = "Print a fresh one-time sign-in link (local mode)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--base", default="", help="The dashboard's address, where it was not started by `serve`.")

    def handle(self, *_args: object, base: str, **_options: object) -> None:
        try:
            link = services.make_sign_in_link(base)
        except services.NotLocal as refusal:
            raise CommandError(refusal.sentence) from None
        self.stdout.write(link)
