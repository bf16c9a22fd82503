"""A backup restored into an empty installation is the installation: pages, figures and reports to the byte."""

from __future__ import annotations

import io
import json
import re
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db.models import FileField
from django.test import Client

from budgeteer import samples
from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.row_search import forget_segments, segments_of_run
from budgeteer.collections.run_records import evaluation_of, forget_evaluations
from budgeteer.engine.errors import InputError
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.operations.backups.backup import write_backup
from budgeteer.operations.backups.backup_format import FILE_FIELDS, KEPT, LEFT_OUT, MANIFEST, kept_models
from budgeteer.operations.backups.restore import restore_backup
from budgeteer.reports import services as reports
from budgeteer.sources import services as sources
from budgeteer.sources.loading import forget_loaded
from budgeteer.workbench import services
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import forget_previews
from tests.collections.material import collected, evaluated, lines
from tests.people import editor

#: What each answer has anew: the token of its forms.
SECRETS = re.compile(rb"[A-Za-z0-9]{64}")

pytestmark = pytest.mark.django_db(transaction=True)


def run_jobs() -> None:
    while waiting := list(Job.objects.filter(state="queued")):
        for job in waiting:
            execute(job.id, job.attempt)


@pytest.fixture
def workspace(settings: Any, tmp_path: Path) -> Workspace:
    """A workspace over files in a storage of its own, with a report of it."""
    settings.MEDIA_ROOT = tmp_path / "media"
    owner = editor("ada")
    taken = [
        sources.receive_upload(owner, name=name, content=File(io.BytesIO(data), name))
        for name, data in samples.read("skills-library")
    ]
    opened = services.open_with_sources(owner, taken, preset_slug="skills-library")
    run_jobs()
    reports.publish(opened, reports.PublishRequest("July", "full", 7), owner=owner)
    run_jobs()
    return opened


def empty() -> None:
    """Take everything away, as a new machine has nothing."""
    for model in reversed(kept_models().values()):
        model.objects.all().delete()
    for label, fields in FILE_FIELDS.items():
        assert not apps.get_model(label).objects.exists(), fields
    for folder in default_storage.listdir("")[0]:
        clear(folder)
    forget_loaded()
    forget_previews()


def clear(folder: str) -> None:
    folders, files = default_storage.listdir(folder)
    for name in files:
        default_storage.delete(f"{folder}/{name}")
    for name in folders:
        clear(f"{folder}/{name}")


def pages(workspace_id: object) -> dict[str, bytes]:
    """What somebody sees of it all."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="ada"))
    client.get(f"/w/{workspace_id}/")  # counts what was not counted here yet
    run_jobs()
    report = apps.get_model("reports.Report").objects.get()
    addresses = {
        "packing": f"/w/{workspace_id}/export/packing/",
        "text": f"/w/{workspace_id}/export/text/",
        "report": report.get_absolute_url(),
    }
    found = {name: client.get(address) for name, address in addresses.items()}
    assert {name: answer.status_code for name, answer in found.items()} == dict.fromkeys(addresses, 200)
    return {name: SECRETS.sub(b"", answer.content) for name, answer in found.items()}


@pytest.mark.parametrize("name", ["all.tar", "all.tar.gz"])
def test_what_is_restored_is_what_was_there(workspace: Workspace, tmp_path: Path, name: str) -> None:
    before = pages(workspace.pk)
    made = write_backup(tmp_path / name)
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert made.rows == {label: model.objects.count() for label, model in kept_models().items()}
    assert made.files > 0
    assert not made.gone
    empty()
    assert restore_backup(tmp_path / name) == made
    assert {label: model.objects.count() for label, model in kept_models().items()} == made.rows
    run_jobs()
    after = pages(workspace.pk)
    assert after["report"] == before["report"]
    assert (after["text"], after["packing"]) == (before["text"], before["packing"])
    # What is made next has a number of its own.
    assert editor("bob").pk not in {None, User.objects.get(username="ada").pk}


def test_a_collection_is_restored_with_the_rows_of_its_evaluations(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    run = evaluated(collected(editor("ada"), {"talks.jsonl": lines(range(12))}), "newest")
    figures, sent = evaluation_of(run).to_json(), sent_by(run)
    made = write_backup(tmp_path / "all.tar")
    empty()
    assert restore_backup(tmp_path / "all.tar") == made
    back = EvaluationRun.objects.get()
    assert back.pk == run.pk
    assert evaluation_of(back).to_json() == figures
    assert sent_by(back) == sent
    assert back.collection.survey.size > 0


def sent_by(run: EvaluationRun) -> list[int]:
    """What each conversation of an evaluation sends, read from the storage."""
    forget_segments()
    forget_evaluations()
    return [tokens for one in segments_of_run(run) for tokens in one.by_config[0]["sent"].tolist()]


def test_an_installation_in_use_is_left_alone(workspace: Workspace, tmp_path: Path) -> None:
    write_backup(tmp_path / "all.tar")
    with pytest.raises(InputError, match="in use: it has 1 sources"):
        restore_backup(tmp_path / "all.tar")
    assert Workspace.objects.filter(pk=workspace.pk).exists()


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def without_manifest(content: bytes) -> bytes:
    return content[: content.rindex(MANIFEST.encode())]


def of_another_version(content: bytes) -> bytes:
    return content.replace(b'"migrations": [', b'"migrations": ["none.0001",')


@pytest.mark.parametrize("broken", [cut, without_manifest, of_another_version, lambda _content: b"nothing"])
def test_a_broken_backup_restores_nothing(
    workspace: Workspace, tmp_path: Path, broken: Callable[[bytes], bytes]
) -> None:
    write_backup(tmp_path / "all.tar")
    (tmp_path / "broken.tar").write_bytes(broken((tmp_path / "all.tar").read_bytes()))
    empty()
    with pytest.raises(InputError, match="backup"):
        restore_backup(tmp_path / "broken.tar")
    assert not Workspace.objects.exists()
    assert not User.objects.filter(username="ada").exists()
    assert restore_backup(tmp_path / "all.tar").rows["workbench.Workspace"] == 1


def test_rows_of_other_tables_and_names_outside_the_storage_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    write_backup(tmp_path / "all.tar")
    with tarfile.open(tmp_path / "all.tar") as whole, tarfile.open(tmp_path / "evil.tar", "w") as evil:
        for member in whole.getmembers():
            content = whole.extractfile(member)
            assert content is not None
            data = content.read()
            if member.name == "rows.jsonl":
                data = data.replace(b'"upload": "', b'"upload": "../../escaped/')
            member.size = len(data)
            evil.addfile(member, io.BytesIO(data))
            if member.name.startswith("files/"):
                member.name = member.name.replace("files/", "files/../../escaped/", 1)
                evil.addfile(member, io.BytesIO(data))
    empty()
    with pytest.raises(InputError, match="no whole backup"):
        restore_backup(tmp_path / "evil.tar")
    assert not Workspace.objects.exists()
    assert not list(tmp_path.rglob("escaped"))


def test_a_file_that_is_gone_is_named(workspace: Workspace, tmp_path: Path) -> None:
    source = apps.get_model("sources.Source").objects.first()
    default_storage.delete(source.upload.name)
    made = write_backup(tmp_path / "all.tar")
    assert made.gone == (source.upload.name,)
    with tarfile.open(tmp_path / "all.tar") as archive:
        manifest = archive.extractfile(MANIFEST)
        assert manifest is not None
        assert json.loads(manifest.read())["gone"] == [source.upload.name]


def test_a_place_that_cannot_be_written_to_is_a_sentence(db: None, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_backup(tmp_path / "no" / "all.tar")


def test_a_file_that_somebody_put_where_it_is_written_gets_nothing_of_it(workspace: Workspace, tmp_path: Path) -> None:
    planted = tmp_path / "all.tar.part"
    planted.write_bytes(b"")
    planted.chmod(0o666)
    write_backup(tmp_path / "all.tar")
    assert stat.S_IMODE((tmp_path / "all.tar").stat().st_mode) == 0o600
    assert planted.read_bytes() == b""
    planted.unlink()
    assert [path.name for path in tmp_path.glob("all*")] == ["all.tar"]


def test_every_table_is_kept_or_left_out_for_a_reason() -> None:
    models = {model._meta.label: model for model in apps.get_models()}
    assert set(models) == {*KEPT, *LEFT_OUT}
    assert not set(KEPT) & set(LEFT_OUT)
    files = {
        label: tuple(field.name for field in models[label]._meta.get_fields() if isinstance(field, FileField))
        for label in KEPT
    }
    assert {label: names for label, names in files.items() if names} == dict(FILE_FIELDS)
