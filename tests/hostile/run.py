"""One run over one stack: `python -m tests.hostile.run KIND EVERY FOLDER [FAMILY …]`; prints its figures as JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from tests.hostile import commands, heads, pages, programs
from tests.hostile.payloads import STRINGS
from tests.hostile.served import TEAM, Client, Jobs, errors_logged
from tests.hostile.tally import Tally
from tests.hostile.uploads import CANARY_WORDS, Upload, uploads
from tests.hostile.watching import Escapes
from tests.kills import parts

STRINGS_EVERY: Final = 2
"""A sample of the strings is so much finer than one of the uploads: each goes through all forms."""


def run(kind: str, *, every: int, folder: Path, families: Sequence[str] = ()) -> dict[str, Any]:
    """Start the stack in team mode and try everything, or with `every` the first and each so many-th of a family.

    Args:
        kind: "sqlite" or "postgres".
        families: of uploads; all of them where none is named.
    """
    started, tally = time.monotonic(), Tally()
    home = folder / "home"
    home.mkdir(parents=True)
    canary = folder / "canary.txt"
    canary.write_text(CANARY_WORDS)
    escapes = Escapes(folder)
    with parts.prepared(kind, folder) as stack:
        stack.environment |= TEAM | {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
        os.environ.clear()
        os.environ.update(stack.environment)
        cookie, token = _prepare_database()
        parts.start_parts(stack)
        jobs, somebody = Jobs(stack), Client(stack, cookie=cookie)
        program, line = Client(stack, token=token), commands.CommandLine(folder / "terminal")
        reader = Client(stack, cookie=_session_of("paul"))
        # A command's processor time is its own, so that commands may run while pages and the API answer.
        with ThreadPoolExecutor(1) as terminal:
            chosen_uploads = partial(uploads, str(canary), every=every, families=families)
            typed = terminal.submit(_try_commands, tally, line, chosen_uploads(), every)
            for number, upload in enumerate(_told(tally, chosen_uploads())):
                pages.try_upload(tally, somebody, jobs, upload, number)
                programs.try_upload(tally, program, jobs, upload, reader=reader)
            world = pages.make_world(somebody, jobs)
            own = pages.make_world(reader, jobs)
            for family, texts in STRINGS.items():
                chosen = {family: _sample(texts, every)}
                pages.try_strings(tally, somebody, jobs, world, chosen)
                programs.try_strings(tally, program, jobs, own, chosen)
                _tell(tally, f"pages and API: {family}")
            typed.result()
        for missing in pages.never_made():
            tally.row(pages.REPORTS, missing).wrong.append(f"no report was made of the kind {missing}")
        heads.try_all(tally, somebody, every=max(every // STRINGS_EVERY, 1))
        _tell(tally, "heads of requests")
        everything = tally.row("everything", "files and logs")
        everything.wrong += [f"written outside its place: {path}" for path in escapes.found()]
        everything.wrong += [f"logged: {line}" for line in errors_logged(stack)]
        everything.wrong += [
            f"{part.name} ended by itself" for part in stack.parts.values() for _ in range(part.own_ends)
        ]
    return {"stack": kind, "seconds": round(time.monotonic() - started), "rows": tally.to_json()}


def _try_commands(tally: Tally, line: commands.CommandLine, files: Iterator[Upload], every: int) -> None:
    for number, upload in enumerate(files):
        commands.try_upload(tally, line, upload, number)
    for family, texts in STRINGS.items():
        commands.try_strings(tally, line, {family: _sample(texts, every)})


def _sample(texts: Sequence[str], every: int) -> Sequence[str]:
    return texts[:: max(every // STRINGS_EVERY, 1)]


def _told(tally: Tally, uploads_of_families: Iterator[Upload]) -> Iterator[Upload]:
    """The same; says when a family is done, and what was wrong with it."""
    for family, those in groupby(uploads_of_families, key=lambda upload: upload.family):
        yield from those
        _tell(tally, f"pages and API: {family}")


def _tell(tally: Tally, done: str) -> None:
    """Say on standard error what is done, and what was wrong since the last time."""
    click.echo(f"{time.strftime('%H:%M:%S')} {done}", err=True)
    for what in tally.untold():
        click.echo(what[:2000], err=True)


def _prepare_database() -> tuple[str, str]:
    """Migrate, and make two editors: the session of one, and a token of the other."""
    import django

    django.setup()
    from django.core.management import call_command

    from tests import people
    from tests.http_api.callers import token_of

    call_command("migrate", verbosity=0, interactive=False)
    people.editor("ada")
    return _session_of("ada"), token_of(people.editor("paul"))


def _session_of(name: str) -> str:
    from django.contrib.auth.models import User
    from django.test import Client as Browser

    browser = Browser()
    browser.force_login(User.objects.get(username=name))
    return f"budgeteer_session={browser.cookies['budgeteer_session'].value}"


if __name__ == "__main__":
    stack_kind, every_text, place, *named = sys.argv[1:]
    click.echo(json.dumps(run(stack_kind, every=int(every_text), folder=Path(place), families=named)))
