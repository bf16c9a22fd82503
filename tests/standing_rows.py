"""Rows that are made once for the tests of a module: each test changes them in a transaction of its own."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from django.db import transaction

if TYPE_CHECKING:
    from pytest_django.plugin import DjangoDbBlocker


def standing_rows[T](make: Callable[[], T], blocker: DjangoDbBlocker) -> Iterator[Callable[[], T]]:
    """Yield a function that returns what `make` made, a new copy of its objects each time; the rows go at the end.

    For a fixture of the module's scope that asks for `django_db_setup` and `django_db_blocker`: its transaction stays
    open, and that of a test (the fixture `db`, not `transactional_db`) is a savepoint in it.
    """
    outer = transaction.atomic()
    with blocker.unblock():
        outer.__enter__()
        try:
            made = make()
        except BaseException as error:
            outer.__exit__(type(error), error, error.__traceback__)
            raise
    yield lambda: copy.deepcopy(made)
    with blocker.unblock():
        transaction.set_rollback(True)
        outer.__exit__(None, None, None)
