"""Checks that need no database: the environment, the versions, the packaged data.

Nothing here imports Django before the environment was found to be one that its settings can be made from.
"""

from __future__ import annotations

import contextlib
import io
import os
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version

from budgeteer import __version__
from budgeteer.engine.errors import TokenizerUnavailable
from budgeteer.operations.findings import Finding, failed, ok, warning

LEAST_PYTHON = (3, 12)
OLD_MODELS = timedelta(days=180)
"""Providers change windows and prices a few times a year."""

MEND_ENVIRONMENT = "Set it right in the environment or in .env; docs/deployment.md lists every variable"


def python() -> Iterator[Finding]:
    """The versions of what runs."""
    sentence = f"Budgeteer {__version__}, Python {platform.python_version()}, Django {_version('django')}"
    sentence += f", Celery {_version('celery')}."
    if sys.version_info < LEAST_PYTHON:
        yield failed("python", sentence, mend="Install Python {}.{} or later".format(*LEAST_PYTHON))
    else:
        yield ok("python", sentence)


def environment() -> Iterator[Finding]:
    """Whether the settings can be made from it, and whether they are wise; sets Django up."""
    if problems := _problems():
        for problem in problems:
            yield failed("environment", problem, mend=MEND_ENVIRONMENT)
        return
    import django
    from django.conf import settings

    django.setup()
    yield ok("environment", f"The settings are valid: {settings.BUDGETEER_MODE} mode, data in {settings.DATA_DIR}.")
    yield from _secret(settings.SECRET_KEY)
    if settings.DEBUG:
        yield warning("debug", "Django's debug pages are on and show settings.", mend="Unset BUDGETEER_DEBUG")
    if settings.BUDGETEER_MODE == "team":
        yield from _team_worries()


def tokenizers() -> Iterator[Finding]:
    """Every vocabulary is packaged, and OpenAI's are the ones that tiktoken expects."""
    from budgeteer.engine.counting.open_counter import OPEN_VOCABULARIES
    from budgeteer.engine.counting.tokenizers import TOKENIZERS, BpeCounter, counter_for, reference_for
    from budgeteer.engine.models.extra_vocabularies import EXTRA, vocabularies_installed

    has_extra = vocabularies_installed()
    names = [name for name in TOKENIZERS if has_extra or name not in OPEN_VOCABULARIES]
    for name in names:
        try:
            if isinstance(counter_for(name), BpeCounter):
                reference_for(name)
        except TokenizerUnavailable as error:
            yield failed("tokenizers", f"{error.sentence.rstrip('.')}.", mend="Install Budgeteer again")
            return
    yield ok("tokenizers", f"{', '.join(names)}: packaged, OpenAI's verified.")
    if not has_extra:
        sentence = (
            f"Models counted with {', '.join(OPEN_VOCABULARIES)} are counted with a stand-in: no splintr-rs is here."
        )
        yield warning("vocabularies", sentence, mend=f"pip install 'budgeteer[{EXTRA}]'")


def models() -> Iterator[Finding]:
    """How old the oldest row of the table of models is."""
    from budgeteer.engine.models.registry import MODELS

    oldest = date.fromisoformat(min(row.date for row in MODELS.values()))
    sentence = f"{len(MODELS)} models, checked on {oldest} or later."
    if datetime.now(UTC).date() - oldest > OLD_MODELS:
        yield warning("models", f"{sentence} Windows and prices may have changed.", mend="Upgrade Budgeteer")
    else:
        yield ok("models", sentence)


def _problems() -> list[str]:
    """Why the settings cannot be made, a sentence each; made here for the first time, they are kept."""
    from budgeteer.env import EnvironmentRefused, read_environment

    try:
        is_local = read_environment()["BUDGETEER_MODE"] == "local"
    except EnvironmentRefused as refusal:
        return refusal.problems
    if is_local:
        os.umask(0o077)  # the folders that the settings make are for their owner only, as `serve` makes them
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    from django.conf import settings

    said = io.StringIO()
    try:
        # What the settings refuse they print, a line each, before they end the process.
        with contextlib.redirect_stderr(said):
            _ = settings.BUDGETEER_MODE
    except SystemExit:
        return [line.strip() for line in said.getvalue().splitlines() if line.startswith("  ")]
    except OSError as error:
        return [f"{error.filename} cannot be used ({error.strerror})."]
    return []


def _secret(secret: str) -> Iterator[Finding]:
    from django.core.checks.security.base import SECRET_KEY_MIN_LENGTH, SECRET_KEY_MIN_UNIQUE_CHARACTERS

    if len(secret) < SECRET_KEY_MIN_LENGTH or len(set(secret)) < SECRET_KEY_MIN_UNIQUE_CHARACTERS:
        sentence = (
            f"SECRET_KEY can be guessed: it has fewer than {SECRET_KEY_MIN_LENGTH} characters, or too few others."
        )
        make = "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        yield failed("secret", sentence, mend=f"Make a long random one: {make}")


def _team_worries() -> Iterator[Finding]:
    from django.conf import settings

    if not settings.SECURE_SSL_REDIRECT:
        sentence = "BUDGETEER_HTTPS is off: passwords and cookies travel in the clear."
        yield warning("https", sentence, mend="Put a proxy with TLS in front and unset BUDGETEER_HTTPS")
    elif settings.SECURE_PROXY_SSL_HEADER is None:
        sentence = "Pages are served over https only, but no proxy is trusted to say that a request came by it."
        yield warning("https", sentence, mend="Set BUDGETEER_TRUST_PROXY=yes where a proxy of yours ends TLS")
    if "*" in settings.ALLOWED_HOSTS:
        sentence = "ALLOWED_HOSTS='*' answers to any name, so a forged one ends up in links."
        yield warning("hosts", sentence, mend="Name the hosts")
    if settings.MAILERS and not settings.MAIL_SITE:
        sentence = "Links in letters lead to the host and port that whoever asks for a letter has called."
        yield warning("mail", sentence, mend="Set BUDGETEER_MAIL_SITE to the address of this dashboard")


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "missing"
