"""Put the rows of a recorded SQLite file into another database, at the schema they were recorded at.

`python -m tests.upgrade.filling RECORDED` in an environment whose DATABASE_URL is an empty database. The models are the
ones of that time, as the migrations describe them, so a row is copied as it was.
"""

from __future__ import annotations

import sys

import django


def fill(recorded: str) -> None:
    """Migrate the default database to where the recorded file stands, then copy every row."""
    django.setup()
    from django.core.management.color import no_style
    from django.db import connection, connections, transaction
    from django.db.migrations.executor import MigrationExecutor
    from django.db.migrations.loader import MigrationLoader
    from django.db.migrations.recorder import MigrationRecorder

    connections.databases["recorded"] = {"ENGINE": "django.db.backends.sqlite3", "NAME": recorded}
    connections.configure_settings(connections.databases)
    applied = list(MigrationRecorder(connections["recorded"]).applied_migrations())
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)  # as that version knew them
    state = executor.migrate(applied)
    models = [model for model in state.apps.get_models(include_auto_created=True) if model._meta.managed]
    with transaction.atomic(), connection.cursor() as cursor:
        tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in models)
        cursor.execute(f"TRUNCATE {tables} CASCADE")  # what data migrations put there is among the recorded rows
        for model in models:
            model._base_manager.bulk_create(model._base_manager.using("recorded").all())
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


if __name__ == "__main__":
    fill(sys.argv[1])
