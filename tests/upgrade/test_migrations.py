"""Migrations only add, with a value in the database for what they add: an older version goes on writing beside a newer.

While an upgrade is under way, processes of the version before work over the new tables. They name neither a column that
was added nor can they do without one that was taken away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from django.apps import apps
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

TAKEN_AWAY_BEFORE = {
    ("collections", "0003_segments_as_rows"),
    ("jobs", "0003_queues_and_cancel"),
}
"""Taken away in versions that nobody runs beside this one any more; CONTRIBUTING.md says when one may be named here."""

TAKE_AWAY = (
    migrations.RemoveField,
    migrations.RenameField,
    migrations.DeleteModel,
    migrations.RenameModel,
    migrations.AlterModelTable,
    migrations.RunSQL,
)


@dataclass
class Tables:
    """The columns as migrations leave them; `added` says which migration put one into a table that there was."""

    columns: dict[tuple[str, str, str], models.Field] = field(default_factory=dict)
    added: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def apply(self, app: str, name: str, operations: Iterable[Operation]) -> Iterator[str]:
        """Take one migration in; what is wrong with it on its own."""
        made = set()
        for operation in operations:
            match operation:
                case migrations.CreateModel():
                    made.add(operation.name_lower)
                    self.columns |= {(app, operation.name_lower, key): one for key, one in operation.fields}
                case migrations.AddField():
                    key = (app, operation.model_name_lower, operation.name)
                    self.columns[key] = operation.field
                    if operation.model_name_lower not in made and not operation.field.many_to_many:
                        self.added[key] = name
                case migrations.AlterField():
                    key = (app, operation.model_name_lower, operation.name)
                    yield from _narrowed(self.columns[key], operation.field, f"{app}.{name}: {'.'.join(key[1:])}")
                    self.columns[key] = operation.field
                case _ if isinstance(operation, TAKE_AWAY):
                    yield f"{app}.{name}: {operation.describe()}"
                    if isinstance(operation, migrations.RemoveField):
                        key = (app, operation.model_name_lower, operation.name)
                        self.columns.pop(key, None)
                        self.added.pop(key, None)

    def without_value(self) -> Iterator[str]:
        """Columns that came to a table there was, and that an older version cannot leave out."""
        for key, name in self.added.items():
            column = self.columns[key]
            if not column.null and not column.has_db_default():
                yield f"{key[0]}.{name}: {key[1]}.{key[2]} may not be empty and has no db_default"


def _narrowed(before: models.Field, after: models.Field, place: str) -> Iterator[str]:
    if before.null and not after.null:
        yield f"{place} may not be empty any more"
    if (before.max_length or 0) > (after.max_length or 0) > 0:
        yield f"{place} became shorter"
    if before.get_internal_type() != after.get_internal_type():
        yield f"{place} has another type"
    if after.unique and not before.unique:
        yield f"{place} became unique"


def faults_of(history: Sequence[tuple[str, str, Sequence[Operation]]]) -> list[str]:
    tables = Tables()
    found = [fault for app, name, operations in history for fault in tables.apply(app, name, operations)]
    return [*found, *tables.without_value()]


def test_migrations_only_add_and_what_they_add_has_a_value() -> None:
    ours = {config.label for config in apps.get_app_configs() if config.name.startswith("budgeteer.")}
    loaded = MigrationLoader(None).disk_migrations
    history = [
        (app, name, one.operations) for (app, name), one in sorted(loaded.items()) if app in ours and not one.replaces
    ]
    assert len(history) > 40
    found = faults_of(history)
    known = tuple(f"{app}.{name}: " for app, name in TAKEN_AWAY_BEFORE)
    assert [fault for fault in found if not fault.startswith(known)] == []
    assert {one for one in known if any(fault.startswith(one) for fault in found)} == set(known)


def test_an_empty_database_gets_the_tables_that_all_migrations_make_one_after_the_other() -> None:
    squashed = MigrationLoader(None)
    assert len(squashed.replacements) > 5
    one_by_one = MigrationLoader(None, replace_migrations=False)
    assert squashed.project_state() == one_by_one.project_state()


@pytest.mark.parametrize("app", sorted({app for app, _ in MigrationLoader(None).replacements}))
def test_what_replaces_migrations_replaces_the_first_ones_without_a_gap(app: str) -> None:
    loader = MigrationLoader(None, replace_migrations=False)
    [squashed] = (one for key, one in loader.replacements.items() if key[0] == app)
    originals = sorted(key for key, one in loader.disk_migrations.items() if key[0] == app and not one.replaces)
    assert squashed.replaces == originals[: len(squashed.replaces)]


HULL = ("jobs", "0001_initial", [migrations.CreateModel("Hull", [("name", models.CharField(max_length=9, null=True))])])


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        (migrations.AddField("hull", "keel", models.CharField(max_length=9, default="")), "has no db_default"),
        (migrations.AddField("hull", "keel", models.IntegerField(null=True)), ""),
        (migrations.AddField("hull", "keel", models.IntegerField(default=0, db_default=0)), ""),
        (migrations.AlterField("hull", "name", models.CharField(max_length=9)), "may not be empty any more"),
        (migrations.AlterField("hull", "name", models.CharField(max_length=8, null=True)), "became shorter"),
        (migrations.AlterField("hull", "name", models.IntegerField(null=True)), "another type"),
        (migrations.AlterField("hull", "name", models.CharField(max_length=9, null=True, unique=True)), "unique"),
        (migrations.RemoveField("hull", "name"), "Remove field"),
        (migrations.RenameField("hull", "name", "title"), "Rename field"),
        (migrations.DeleteModel("Hull"), "Delete model"),
        (migrations.RunSQL("DROP TABLE jobs_hull"), "SQL"),
        (migrations.CreateModel("Crane", [("name", models.CharField(max_length=9))]), ""),
    ],
)
def test_what_an_older_version_cannot_work_with_is_found(operation: Operation, said: str) -> None:
    found = faults_of([HULL, ("jobs", "0002_next", [operation])])
    assert len(found) == bool(said)
    assert said in "".join(found)


def test_a_value_that_is_given_later_counts() -> None:
    added = migrations.AddField("hull", "keel", models.IntegerField(default=0))
    mended = migrations.AlterField("hull", "keel", models.IntegerField(default=0, db_default=0))
    assert faults_of([HULL, ("jobs", "0002_next", [added]), ("jobs", "0003_mended", [mended])]) == []


def test_the_database_has_the_values(db: None) -> None:
    """What the models say is in the tables: a row that names none of the columns that were added is written."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_job (id, kind, arguments, queue, subject, state, done, total, unit, sentence, log,"
            " attempt, lost_workers, sends, created_at) VALUES (%s, 'a.b', '{}', 'default', '', 'queued', 0, 0, '', '',"
            " '[]', 1, 0, 0, CURRENT_TIMESTAMP)",
            ["00000000000000000000000000000001"],
        )
        cursor.execute("SELECT is_only_one, request_id, worker, trace_parent FROM jobs_job")
        assert [tuple(row) for row in cursor.fetchall()] == [(False, "", "", "")]
