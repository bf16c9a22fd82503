"""A database and a broker of one's own on the servers that a test run shares."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from tests import servers

HOLD_SECONDS = 4 * 3600
"""After so long the Redis database of a test run that was killed is anybody's again."""


@contextmanager
def own_servers(environ: Mapping[str, str] = os.environ) -> Iterator[dict[str, str]]:
    """Yield the variables of an empty database and an empty broker that nobody else uses, on the servers of this run.

    Nothing ({}) for a run on SQLite and the file broker: there both are in the data folder.
    """
    with ExitStack() as held:
        variables = {}
        if (database := environ.get("DATABASE_URL", "")).startswith("postgres"):
            variables["DATABASE_URL"] = held.enter_context(own_database(database))
        if broker := environ.get("REDIS_URL"):
            variables["REDIS_URL"] = held.enter_context(own_redis_database(broker))
        yield variables


@contextmanager
def own_database(server: str) -> Iterator[str]:
    """Make a PostgreSQL database on the server of this address and yield its address; dropped at the end."""
    import psycopg

    name = f"test_own_{os.getpid()}_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@contextmanager
def own_redis_database(server: str) -> Iterator[str]:
    """Hold one of the Redis server's numbered databases and yield its address; emptied before and after.

    Raises:
        servers.ServerFailed: others hold all of them.
    """
    from redis import Redis

    with Redis.from_url(urlsplit(server)._replace(path="/0").geturl()) as register:
        most = int(register.config_get("databases")["databases"])
        marks = ((number, f"budgeteer-tests:{number}") for number in range(1, most))
        taken = next((each for each in marks if register.set(each[1], os.getpid(), nx=True, ex=HOLD_SECONDS)), None)
        if taken is None:
            raise servers.ServerFailed(
                f"All {most - 1} databases of the Redis server are in use; wait, or empty its first one."
            )
        number, mark = taken
        address = urlsplit(server)._replace(path=f"/{number}").geturl()
        with Redis.from_url(address) as own:
            own.flushdb()
            try:
                yield address
            finally:
                own.flushdb()
                register.delete(mark)
