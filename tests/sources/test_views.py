from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from budgeteer.sources import services
from budgeteer.sources.models import Source
from budgeteer.sources.source_rows import filters_of
from tests.sources.material import chat, chats, imported, run_jobs, skills_zip, upload

pytestmark = pytest.mark.django_db

PAGES = ("detail", "raw", "skipped")
ACTS = ("rename", "delete", "import", "restore")


@pytest.fixture
def ada(client, owner):
    client.force_login(owner)
    return client


def send(client, *files: tuple[str, bytes], **fields):
    data = {"files": [SimpleUploadedFile(name, data) for name, data in files], **fields}
    return client.post("/sources/upload/", data)


def text_of(response) -> str:
    return response.content.decode()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_somebody_elses_source_does_not_exist(client, owner, other, name):
    url = reverse(f"sources:{name}", args=[imported(owner, chat()).pk])
    client.force_login(other)
    assert client.get(url).status_code == 404
    client.force_login(owner)
    response = client.get(url)
    assert response.status_code == 200
    response.close()


@pytest.mark.parametrize("name", ACTS)
def test_an_act_on_somebody_elses_source_does_nothing(client, owner, other, name):
    source = imported(owner, chat())
    client.force_login(other)
    assert client.post(reverse(f"sources:{name}", args=[source.pk]), {"name": "mine now"}).status_code == 404
    source.refresh_from_db()
    assert (source.name, source.deleted_at, source.revision) == ("request.json", None, 1)


@pytest.mark.parametrize("name", PAGES)
def test_a_signed_out_visitor_is_sent_to_sign_in(client, owner, name):
    response = client.get(reverse(f"sources:{name}", args=[upload(owner, chat()).pk]))
    assert response.status_code == 302
    assert "/sign-in/" in response["Location"]


def test_an_upload_leads_to_its_source_which_shows_the_job_and_then_the_report(ada):
    response = send(ada, ("request.json", chat(2)))
    source = Source.objects.get()
    assert response["Location"] == source.get_absolute_url()
    assert "Waiting to start" in text_of(ada.get(source.get_absolute_url()))
    run_jobs()
    page = text_of(ada.get(source.get_absolute_url()))
    assert "Read as <b>OpenAI chat</b>" in page
    assert "Plan the harbour, part 0." in page


def test_a_script_gets_the_address_in_a_header(ada):
    response = ada.post("/sources/upload/", {"text": "User: hi\nAssistant: ho"}, headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == Source.objects.get().get_absolute_url()


def test_several_files_lead_to_the_list(ada):
    assert send(ada, ("a.json", chat(1)), ("b.json", chat(2)))["Location"] == "/sources/"


def test_known_bytes_are_named_as_such(ada):
    send(ada, ("first.json", chat()))
    response = send(ada, ("second.json", chat()))
    assert "here already as “first.json”" in text_of(ada.get(response["Location"]))


def test_nothing_chosen_keeps_the_page_and_says_so(ada):
    response = send(ada, text="   ")
    assert response.status_code == 422
    assert "No file was chosen and nothing was pasted" in text_of(response)


def test_a_refused_upload_gives_the_pasted_draft_back(ada, settings):
    settings.UPLOAD_MAX_BYTES = 10
    response = send(ada, text="User: a draft longer than ten bytes & <more>")
    assert response.status_code == 422
    assert "more than the limit of 10 bytes" in text_of(response)
    assert "User: a draft longer than ten bytes &amp; &lt;more&gt;</textarea>" in text_of(response)


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/SKILL.md", b"\0" * 30_000_000)
    return file.getvalue()


def crowd() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(20_001):
            archive.writestr(f"{number}.md", b"")
    return file.getvalue()


BAD = {
    "truncated JSON": ("a.json", chat()[:-20]),
    "white space only": ("a.json", b"  \n "),
    "a zip bomb": ("a.zip", bomb),
    "a crowded zip": ("a.zip", crowd),
    "a traversal": ("a.zip", skills_zip(names=(), **{"../../SKILL.md": b"---\nname: x\n---\n"})),
    "half a zip": ("a.zip", skills_zip()[:60]),
    "deep nesting": ("a.json", b"[" * 100_000),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_upload_shows_its_sentence_and_the_way_on(ada, case):
    name, data = BAD[case]
    response = send(ada, (name, data if isinstance(data, bytes) else data()))
    run_jobs()
    page = text_of(ada.get(response["Location"]))
    source = Source.objects.get()
    assert source.state == "failed"
    assert "This upload could not be imported" in page
    assert "Import again" in page
    assert "unexpected error" not in page
    assert "Traceback" not in page


def test_a_picture_named_json_is_refused_in_place(ada):
    response = send(ada, ("a.json", b"\x89PNG\r\n\x1a\n\x00\x00"))
    assert response.status_code == 422
    assert "a.json: This is a PNG image" in text_of(response)
    assert not Source.objects.exists()


def test_an_entry_that_leaves_the_archive_is_listed_and_the_rest_is_read(ada, owner):
    source = imported(owner, skills_zip(**{"../evil/SKILL.md": b"---\nname: evil\n---\n"}), name="lib.zip")
    page = text_of(ada.get(source.get_absolute_url()))
    assert source.counts["skills"] == 2
    assert "evil" in page
    assert "Not read" in page


def test_what_was_not_read_can_be_downloaded(ada, owner):
    source = imported(owner, chats(2) + b"\n{oops\n", name="log.jsonl")
    response = ada.get(reverse("sources:skipped", args=[source.pk]))
    body = b"".join(response.streaming_content).decode()
    assert response["Content-Disposition"].startswith("attachment")
    assert "{oops" in body


def test_the_original_comes_back_byte_for_byte_and_never_as_a_page(ada, owner):
    data = b"<script>alert(1)</script> User: hi"
    source = imported(owner, data, name="page.html")
    response = ada.get(reverse("sources:raw", args=[source.pk]))
    assert b"".join(response.streaming_content) == data
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")


def test_uploaded_text_is_never_markup(ada, owner):
    source = imported(owner, b"User: <img src=x onerror=alert(1)>\nAssistant: <b>no</b>", name="<i>x</i>.txt")
    page = text_of(ada.get(source.get_absolute_url()))
    assert "<img src=x" not in page
    assert "<b>no</b>" not in page
    assert "<i>x</i>" not in page


def test_a_long_source_is_shown_a_page_at_a_time(ada, owner):
    source = imported(owner, chat(60))
    first = text_of(ada.get(source.get_absolute_url()))
    last = text_of(ada.get(f"{source.get_absolute_url()}?page=3"))
    assert first.count("<summary>") - last.count("<summary>") == 50 - 21
    assert "101 – 121 of 121" in last


def test_a_file_of_several_conversations_lists_them_and_shows_the_chosen_one(ada, owner):
    source = imported(owner, chats(4), name="log.jsonl")
    page = text_of(ada.get(f"{source.get_absolute_url()}?conversation=3"))
    assert "in conversation 3" in page
    assert "Plan harbour 2, part 0." in page


@pytest.mark.parametrize(
    "query", ["page=x", "page=-1", "page=999", "conversation=99999999999", "conversation=0", "q=%00"]
)
def test_odd_addresses_show_the_nearest_page(ada, owner, query):
    source = imported(owner, chat(1))
    assert ada.get(f"{source.get_absolute_url()}?{query}").status_code == 200
    assert ada.get(f"/sources/?{query}").status_code == 200


def test_the_list_is_searched_and_filtered(ada, owner):
    imported(owner, chat(), name="harbour.json")
    imported(owner, skills_zip(), name="library.zip")
    assert "library.zip" not in text_of(ada.get("/sources/?q=HARB"))
    assert "library.zip" in text_of(ada.get("/sources/?kind=skills"))
    assert "harbour.json" not in text_of(ada.get("/sources/?kind=skills"))
    assert "Nothing matches" in text_of(ada.get("/sources/?q=quay"))


def test_every_source_is_in_one_of_the_filters(ada, owner):
    imported(owner, chat(), name="harbour.json")
    imported(owner, skills_zip(), name="library.zip")
    broken = upload(owner, b"\0\1\2")
    Source.objects.filter(pk=broken.pk).update(state="failed", name="broken.bin")
    upload(owner, b"waiting")
    filters = filters_of(services.recent(owner, limit=None), chosen="")
    assert [(one.word, one.count) for one in filters] == [
        ("All", 4),
        ("Conversation", 1),
        ("Skill library", 1),
        ("Importing", 1),
        ("Not imported", 1),
    ]
    page = text_of(ada.get("/sources/?kind=failed"))
    assert ("broken.bin" in page, "harbour.json" in page) == (True, False)


def test_the_first_visit_shows_the_drop_zone_and_a_command(ada):
    page = text_of(ada.get("/sources/"))
    assert "No sources yet" in page
    assert "budgeteer import session.jsonl" in page


def test_a_source_is_renamed_and_a_bad_name_is_said_beside_its_field(ada, owner):
    source = upload(owner, chat())
    url = reverse("sources:rename", args=[source.pk])
    assert ada.post(url, {"name": "Harbour plan"}).status_code == 302
    assert Source.objects.get().name == "Harbour plan"
    assert "A source needs a name." in text_of(ada.post(url, {"name": "  "}))
    assert "121 characters; 120 fit" in text_of(ada.post(url, {"name": "x" * 121}))


def test_deleting_offers_an_undo_that_works(ada, owner):
    source = upload(owner, chat())
    response = ada.post(reverse("sources:delete", args=[source.pk]))
    page = text_of(ada.get(response["Location"]))
    assert "was deleted" in page
    assert f'action="/sources/{source.pk}/restore/"' in page
    ada.post(reverse("sources:restore", args=[source.pk]))
    assert services.visible_source(owner, source.pk)


def test_the_format_can_be_changed_by_hand(ada, owner):
    source = imported(owner, chat())
    ada.post(reverse("sources:import", args=[source.pk]), {"format": "text"})
    run_jobs()
    assert "Read as <b>Plain text</b>" in text_of(ada.get(source.get_absolute_url()))


def test_a_format_that_does_not_exist_is_a_sentence(ada, owner):
    source = imported(owner, chat())
    ada.post(reverse("sources:import", args=[source.pk]), {"format": "opnai-chat"})
    run_jobs()
    assert "Did you mean openai-chat" in text_of(ada.get(source.get_absolute_url()))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"messages":[{"role":"user","content":"hi"}]}', "Detected: OpenAI chat, 1 message"),
        ('{"messages":', "cut off"),
        ("   ", ""),
    ],
)
def test_a_draft_is_told_what_it_would_be_read_as(ada, text, line):
    answer = text_of(ada.post("/sources/detect/", {"text": text}))
    assert line in answer
    assert bool(answer.strip()) == bool(line)
    assert not Source.objects.exists()


def test_a_folder_arrives_with_its_paths(ada):
    files = [SimpleUploadedFile("SKILL.md", f"---\nname: {n}\ndescription: d\n---\n".encode()) for n in ("a", "b")]
    paths = json.dumps([{"path": f"lib/{n}/SKILL.md", "modified": 1_700_000_000_000} for n in ("a", "b")])
    ada.post("/sources/upload/", {"folder": files, "paths": paths})
    run_jobs()
    assert Source.objects.get().counts["skills"] == 2


@pytest.mark.parametrize("url", ["/sources/upload/", "/sources/detect/"])
def test_an_address_meant_for_forms_leads_back_to_the_list(ada, url):
    assert ada.get(url)["Location"] == "/sources/"


def test_pages_carry_nothing_inline(ada, owner):
    source = imported(owner, chats(2))
    for url in ("/sources/", source.get_absolute_url(), "/help/"):
        page = text_of(ada.get(url))
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick=" not in page
        assert "<script>" not in page


def test_a_nul_character_in_the_search_finds_nothing(ada):
    assert ada.get("/sources/", {"q": "a\0b"}).status_code == 200


@pytest.mark.parametrize("asked", ["x" * 300, "a\0b"])
def test_importing_again_as_no_format_there_is_changes_nothing(ada, owner, asked):
    source = imported(owner, chat())
    response = ada.post(reverse("sources:import", args=[source.id]), {"format": asked}, follow=True)
    assert b"There is no format" in response.content
    source.refresh_from_db()
    assert (source.state, source.requested_format) == (Source.State.READY, "")


def test_a_source_that_could_not_be_read_again_says_so_and_stays_in_use(ada, owner):
    source = imported(owner, chat(2))
    ada.post(reverse("sources:import", args=[source.pk]), {"format": "skills"})
    run_jobs()
    page = text_of(ada.get(source.get_absolute_url()))
    assert "It could not be read again as Skill library" in page
    assert "what was read before as OpenAI chat is still here" in page
    assert "Read as <b>OpenAI chat</b>" in page
    assert "Open workbench" in page


def test_files_over_the_limit_together_are_stopped_with_a_page_that_keeps_the_draft(ada, settings):
    settings.UPLOAD_MAX_BYTES = 1000
    response = ada.post(
        "/sources/upload/",
        {"text": "a draft & more", "files": [SimpleUploadedFile(f"{n}.md", b"x" * 400) for n in range(3)]},
    )
    assert response.status_code == 413
    assert "2.md: this is more than the limit of 1 kB for one upload" in text_of(response)
    assert "a draft &amp; more</textarea>" in text_of(response)
    assert not Source.objects.exists()


def test_an_announced_size_is_refused_unread_and_a_strangers_sooner(client, owner, settings):
    settings.UPLOAD_MAX_BYTES = 5_000_000

    def announce(length: int) -> str:
        response = client.post("/sources/upload/", {}, headers={"content-length": str(length)})
        assert response.status_code == 413
        return text_of(response)

    assert "you are not signed in" in announce(21_000)
    client.force_login(owner)
    assert "more than the limit of 5 MB" in announce(50_000_000)
    assert client.post("/sources/upload/", {"text": "some text"}, headers={"content-length": "abc"}).status_code != 500


def test_an_upload_that_breaks_off_is_no_error_of_ours(ada, settings):
    class Broken(io.BytesIO):
        def read(self, *_size: int) -> bytes:
            raise OSError("the client went away")

    kind = "multipart/form-data; boundary=x"
    broken = {"wsgi.input": Broken(), "CONTENT_LENGTH": "900", "CONTENT_TYPE": kind}
    response = ada.post("/sources/upload/", **broken)
    assert response.status_code == 400
    assert "broke off" in text_of(response)


def test_a_pasted_text_that_fills_the_form_is_refused_with_the_limit(ada, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = settings.UPLOAD_MAX_BYTES = 1000
    response = ada.post("/sources/upload/", {"text": "x" * 2000})
    assert response.status_code == 413
    assert "the pasted text: this is more than the limit of 1 kB for a pasted text" in text_of(response)


def test_a_usage_file_has_a_page_and_a_chip_like_any_other_source(ada, owner):
    source = imported(owner, b'{"git-commit": 3, "pdf-forms": 1}', name="used.json")
    page = text_of(ada.get(source.get_absolute_url()))
    assert "Read as <b>Usage of skills and tools</b>" in page
    assert "used 3 times" in page
    assert '<option value="usage" selected>' in page
    listed = text_of(ada.get("/sources/", {"kind": "usage"}))
    assert "used.json" in listed
    assert "2 names" in listed


def test_words_that_were_passed_over_are_said_at_the_top_of_the_page(ada, owner):
    lossy = json.dumps([{"role": "user", "content": "abc", "annotation": "one two three four"}]).encode()
    page = text_of(ada.get(imported(owner, lossy, name="lossy.json").get_absolute_url()))
    assert "72 % of the text in this file was not read" in page
    assert page.index("passed-over") < page.index("Import report")
    assert "passed-over" not in text_of(ada.get(imported(owner, chat()).get_absolute_url()))
