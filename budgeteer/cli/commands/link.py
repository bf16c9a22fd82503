"""`budgeteer link`: a fresh one-time link that signs in to the dashboard running here."""

from __future__ import annotations

import os

import click


@click.command()
def command() -> int:
    """Print a fresh one-time link that signs you in to the running dashboard (local mode)."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    import django

    django.setup()
    from django.db import DatabaseError

    from budgeteer.accounts.services import make_sign_in_link

    try:
        click.echo(make_sign_in_link())
    except DatabaseError:
        folder = os.environ.get("BUDGETEER_DATA_DIR", "var")
        raise click.ClickException(f"There is no dashboard in {folder} yet. Start it with: budgeteer serve") from None
    return 0
