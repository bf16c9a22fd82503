"""One press makes a copy without what was found in a source, and its page says what was masked and what was not."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from budgeteer.jobs.models import Job
from budgeteer.sources.models import Source
from tests.scanning.test_rules import AWS, GITHUB
from tests.sources.material import imported, run_jobs, skills_zip, stored_bytes
from tests.sources.scanning.test_scan_note import MAIL, PART, page_of, scanned, talk

pytestmark = pytest.mark.django_db

DATA = talk("Guard the quay.", f"The key is {AWS}.", f'{AWS} of {MAIL}, "quoted"')


@pytest.fixture(autouse=True)
def signed_in(client, owner) -> None:
    client.force_login(owner)


def press(client, source: Source):
    return client.post(reverse("sources:mask", args=[source.id]), follow=True)


def copied(client, source: Source) -> Source:
    """The copy, imported and scanned."""
    press(client, source)
    run_jobs()
    run_jobs()
    return scanned(Source.objects.exclude(pk=source.pk).get())


def test_a_copy_has_a_mask_in_each_place_and_is_read_as_the_original_was(owner, client):
    source = scanned(imported(owner, DATA, name="quay.json"))
    assert "Make a masked copy" in page_of(client, source, **PART)
    assert "Waiting to start" in press(client, source).content.decode()
    press(client, source)
    assert Job.objects.filter(kind="sources.mask").count() == 1
    copy = copied(client, source)
    texts = [message["content"] for message in json.loads(stored_bytes(copy))["messages"]]
    assert texts[1:] == ["The key is [masked: AWS key].", '[masked: AWS key] of [masked: mail address], "quoted"']
    assert (copy.name, copy.format, copy.counts["messages"]) == ("masked-quay.json", source.format, 3)
    assert stored_bytes(source) == DATA
    page = page_of(client, copy)
    assert "3 places were masked: AWS key (2), email address (1)." in page
    assert "No secrets or personal data found" in page
    assert source.get_absolute_url() in page
    assert copy.get_absolute_url() in page_of(client, source, **PART)


def test_a_copy_says_what_could_not_be_masked(owner, client):
    source = scanned(imported(owner, DATA))
    Source.objects.filter(pk=source.pk).update(upload=_stored_otherwise(source))
    copy = copied(client, source)
    assert copy.masks["missing"] == 1
    assert "1 value that was found is not written in the file in a form that is known here: it was not masked." in (
        page_of(client, copy)
    )


def _stored_otherwise(source: Source) -> str:
    """A file of the source that writes its mail address in a way that no importer would undo."""
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    other = stored_bytes(source).replace(MAIL.encode(), b"ada at the harbour")
    return default_storage.save("uploads/otherwise", ContentFile(other))


def test_a_job_that_runs_twice_leaves_one_copy(owner, client):
    source = scanned(imported(owner, DATA))
    copy = copied(client, source)
    Job.objects.filter(kind="sources.mask").update(state="queued", attempt=2)
    run_jobs()
    assert list(Source.objects.exclude(pk=source.pk)) == [copy]


def test_a_packed_file_is_refused_where_it_is_asked_for(owner, client):
    skill = f"---\nname: keys\ndescription: Where keys are, as {GITHUB}.\n---\nUse them.\n".encode()
    source = scanned(imported(owner, skills_zip(**{"keys/SKILL.md": skill}), name="skills.zip"))
    assert [row["kind"] for row in source.scan["kinds"]] == ["GitHub token"]
    assert "a packed file cannot be masked" in press(client, source).content.decode()
    assert not Job.objects.filter(kind="sources.mask").exists()


def test_a_source_in_which_nothing_was_found_has_no_copy(owner, client):
    source = scanned(imported(owner, talk("Guard the quay.")))
    assert "Make a masked copy" not in page_of(client, source, **PART)
    assert "nothing to mask is known here" in press(client, source).content.decode()


def test_a_source_that_was_read_anew_meanwhile_is_not_copied(owner, client):
    source = scanned(imported(owner, DATA))
    press(client, source)
    Source.objects.update(revision=9)
    run_jobs()
    job = Job.objects.get(kind="sources.mask")
    assert (job.state, Source.objects.count()) == ("failed", 1)
    assert "imported anew meanwhile" in job.sentence
