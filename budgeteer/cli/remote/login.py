"""`budgeteer login`: keep the token to a dashboard."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("url")
@click.option("--forget", is_flag=True, help="Remove the token that is kept for URL.")
def command(url: str, *, forget: bool) -> None:
    """Keep a personal access token for the dashboard at URL, in a file that only you can read.

    Make the token on the page Access tokens of your account. It is asked for, or read from standard input where that is
    no terminal; it is never an argument, which others on the machine could see.

    Example: budgeteer login https://budget.example.org < token.txt
    """
    from budgeteer.client import credentials
    from budgeteer.client.connection import Connection, checked_url
    from budgeteer.client.remote import Remote

    address = checked_url(url)
    if forget:
        gone = credentials.forget(address)
        click.echo(f"The token to {address} is removed." if gone else f"No token to {address} was kept.")
        return
    is_terminal = sys.stdin.isatty()
    token = click.prompt("Token", hide_input=True) if is_terminal else sys.stdin.readline()
    login = credentials.Login(address, token.strip())
    if not login.token:
        raise click.UsageError("no token was given")
    with Remote(Connection(login.url, login.token)) as remote:
        account = remote.account()
    place = credentials.keep(login)
    click.echo(f"Logged in to {address} as {account['name']} ({account['role']}); the token is kept in {place}")
    click.echo(f"It is good until {account['token']['expiresAt'][:10]}, for: {', '.join(account['token']['scopes'])}")
