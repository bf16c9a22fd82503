"""The picture of a report: drawn from its numbers, and nothing in it but pixels."""

from __future__ import annotations

import io
import struct

import pytest
from PIL import Image

from budgeteer.reports.files.picture import SIZE, to_png
from budgeteer.reports.sharing.password import hashed
from budgeteer.reports.snapshot import public_copy
from tests.reports.documents import sample_document


def chunks_of(png: bytes) -> list[bytes]:
    found, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.append(png[at + 4 : at + 8])
        at += 12 + length
    return found


def test_it_holds_pixels_and_no_text():
    png = to_png(sample_document())
    assert set(chunks_of(png)) == {b"IHDR", b"IDAT", b"IEND"}
    assert Image.open(io.BytesIO(png)).size == SIZE
    assert len(png) < 60_000


def test_it_is_the_same_for_the_same_numbers_whatever_the_words():
    full = sample_document()
    numbers = public_copy(full, content="numbers", message_texts=())
    assert to_png(full) == to_png(numbers)
    full["packing"]["verdict"]["sentTokens"] += 1
    assert to_png(full) != to_png(numbers)


@pytest.mark.parametrize("letter", ["S", "T", "K", "U", "A", "X"])
def test_every_category_has_its_colour_in_it(letter):
    from budgeteer.reports.files.picture import theme_colours

    colour = tuple(bytes.fromhex(theme_colours()[letter].removeprefix("#")))
    image = Image.open(io.BytesIO(to_png(sample_document()))).convert("RGB")
    assert colour in {pixel for _count, pixel in image.getcolors(1 << 24)}


def test_a_preview_of_the_link_finds_it_and_no_title(client, report):
    page = client.get(report.get_absolute_url()).content.decode()
    address = f"{report.get_absolute_url()}picture.png"
    assert f'<meta property="og:image" content="http://testserver{address}">' in page
    assert '<meta property="og:title" content="Budgeteer report">' in page
    answer = client.get(address)
    assert answer["Content-Type"] == "image/png"
    assert answer["Cache-Control"] == "no-store"


def test_a_report_with_a_password_has_none(client, make_report, owner):
    report = make_report(password=hashed("seven grey trawlers"))
    assert client.get(f"{report.get_absolute_url()}picture.png").status_code == 403
    client.force_login(owner)
    assert client.get(f"{report.get_absolute_url()}picture.png").status_code == 404
    assert "og:image" not in client.get(report.get_absolute_url()).content.decode()
