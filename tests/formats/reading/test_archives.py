"""Archives and folders: what is read, what is refused, and which limit says so."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.reading.archives import Archive, open_archive, open_folder
from budgeteer.formats.reading.compressed_files import decompress, unpacks_to_more
from budgeteer.formats.reading.limits import Limits, readable_bytes
from tests.formats.shapes import tarred, zipped, zipped_with_link

LIMITS = Limits()


def opened(data: bytes, limits: Limits = LIMITS) -> Archive:
    archive = open_archive(data, limits=limits)
    assert archive is not None
    return archive


def reasons(archive: Archive) -> dict[str, str]:
    return {item.where: item.why for item in archive.skipped}


def test_entries_come_by_path_without_the_prefix_of_a_code_host() -> None:
    archive = opened(zipped({"repo-0a1b2c3/b/x.md": "x", "repo-0a1b2c3/a.md": "a"}))
    assert [entry.path for entry in archive.entries] == ["a.md", "b/x.md"]
    assert archive.prefix == "repo-0a1b2c3/"
    assert archive.read(archive.entries[0]) == b"a"


@pytest.mark.parametrize("top", ["my-skill", "docs"])
def test_an_ordinary_top_folder_stays(top: str) -> None:
    assert opened(zipped({f"{top}/a.md": "a"})).prefix == ""


def test_a_skill_named_like_an_archive_keeps_its_folder() -> None:
    assert opened(zipped({"deploy-main/SKILL.md": "a"})).prefix == ""


def test_paths_that_leave_the_archive_are_listed_and_not_read() -> None:
    archive = opened(zipped({"../evil.md": "x", "/etc/passwd": "x", "C:\\win.md": "x", "a/../../b": "x", "ok.md": "y"}))
    assert [entry.path for entry in archive.entries] == ["ok.md"]
    assert set(reasons(archive)) == {"../evil.md", "/etc/passwd", "C:/win.md", "a/../../b"}
    assert all(why.startswith("path traversal") for why in reasons(archive).values())


def test_symbolic_links_are_listed_and_not_read() -> None:
    archive = opened(zipped_with_link({"a.md": "a"}, "link.md", "/etc/passwd"))
    assert [entry.path for entry in archive.entries] == ["a.md"]
    assert reasons(archive) == {"link.md": "a symbolic link"}


def test_what_systems_leave_behind_is_passed_over() -> None:
    archive = opened(zipped({"__MACOSX/._a.md": "x", "a.md": "a", ".DS_Store": "x", "b/._c.md": "x", ".git/HEAD": "x"}))
    assert [entry.path for entry in archive.entries] == ["a.md"]
    assert not archive.skipped


def test_an_archive_of_thirty_thousand_entries_is_refused_by_name_of_the_limit() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"f{number}", b"")
    with pytest.raises(FormatError, match=r"lists 30,000 entries; the limit on archive entries is 20,000"):
        open_archive(buffer.getvalue(), limits=LIMITS)


def test_a_lying_entry_count_does_not_help() -> None:
    data = bytearray(zipped({f"f{number}": "x" for number in range(30)}))
    end = data.rfind(b"PK\x05\x06")
    struct.pack_into("<HH", data, end + 8, 3, 3)
    with pytest.raises(FormatError, match=r"archive entries is 20|damaged"):
        open_archive(bytes(data), limits=Limits(archive_entries=20))


def test_an_archive_that_declares_gigabytes_is_refused() -> None:
    data = bytearray(zipped({"a.md": "x" * 100, "b.md": "y" * 100}))
    for at in (data.find(b"PK\x01\x02"), data.rfind(b"PK\x01\x02")):
        struct.pack_into("<I", data, at + 24, 900_000_000)
    with pytest.raises(FormatError, match=r"unpacks to 1\.8 GB; the limit on unpacked size is 1 GB"):
        open_archive(bytes(data), limits=LIMITS)


def test_a_tar_that_unpacks_to_too_much_is_refused() -> None:
    limits = Limits(unpacked_bytes=150_000)
    archive = opened(tarred({"a.md": "x" * 40_000, "b.md": "y" * 40_000}, "w:"), limits)
    assert len(archive.entries) == 2
    with pytest.raises(FormatError, match=r"unpacks to 80 kB; the limit on unpacked size is 60 kB"):
        open_archive(tarred({"a.md": "x" * 40_000, "b.md": "y" * 40_000}, "w:"), limits=Limits(unpacked_bytes=60_000))


def test_a_packed_stream_stops_at_the_limit() -> None:
    with pytest.raises(FormatError, match=r"limit on unpacked size is 1 MB"):
        decompress(tarred({"a": "x" * 5_000_000}), limits=Limits(unpacked_bytes=1_000_000))


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.slow
@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_packed_file_is_held_to_the_limit_on_files_and_to_a_ratio(pack: Callable[[bytes], bytes]) -> None:
    limits = Limits(file_bytes=3_000_000)
    text = random.Random(7).randbytes(30_000).hex().encode() * 40
    assert decompress(pack(text), limits=limits) == text
    with pytest.raises(FormatError, match=r"unpacks to more than 2 MB; the limit on unpacked size is 2 MB"):
        decompress(pack(text), limits=Limits(file_bytes=2_000_000))
    with pytest.raises(FormatError, match=r"more than 200 times its size; the limit on the ratio of an archive"):
        decompress(pack(b"a b " * 700_000), limits=limits)
    small = b"a b " * 240_000
    assert decompress(pack(small), limits=limits) == small


def test_a_packed_tar_is_held_to_the_limit_on_archives_and_its_members_to_that_on_files() -> None:
    text = random.Random(7).randbytes(20_000).hex()
    packed = tarred({"a.md": text * 30, "b.md": text * 30, "c.md": "short"}, "w:gz")
    limits = Limits(file_bytes=1_000_000)
    archive = opened(decompress(packed, limits=limits) or b"", limits)
    assert [entry.path for entry in archive.entries] == ["c.md"]
    assert "too large: 1.2 MB" in reasons(archive)["a.md"]


@pytest.mark.slow
@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_what_a_packed_file_holds_is_measured_no_further_than_needed(pack: Callable[[bytes], bytes]) -> None:
    file = io.BytesIO(pack(b"a b " * 5_000_000))
    assert len(file.getvalue()) < 100_000
    assert unpacks_to_more(file, 4_000_000)
    assert not unpacks_to_more(file, 20_000_000)
    assert file.tell() == 0
    damaged = io.BytesIO(file.getvalue()[:50])
    assert not unpacks_to_more(damaged, 4_000_000)


def test_what_a_zip_holds_is_measured_by_its_directory() -> None:
    file = io.BytesIO(zipped({"a.md": "x" * 3_000_000, "b.md": "y" * 3_000_000}))
    assert unpacks_to_more(file, 5_999_999)
    assert not unpacks_to_more(file, 6_000_000)
    assert not unpacks_to_more(io.BytesIO(b"PK\x03\x04 but no zip"), 6_000_000)


def test_reading_an_entry_twice_is_charged_once() -> None:
    archive = opened(zipped({"a.md": "x" * 70_000}), Limits(unpacked_bytes=100_000))
    assert archive.read(archive.entries[0]) == archive.read(archive.entries[0])


def test_a_member_that_unpacks_too_well_is_listed_and_the_rest_is_read() -> None:
    archive = opened(zipped({"bomb.md": b"\x00" * 20_000_000, "a.md": "a"}))
    assert [archive.read(entry) for entry in archive.entries] == [b"a", None]
    assert "the limit on the ratio of an archive member is 200:1" in reasons(archive)["bomb.md"]


def test_a_member_over_the_file_limit_is_listed() -> None:
    archive = opened(zipped({"big.md": "xyz" * 1000}), Limits(file_bytes=1_000))
    assert archive.read(archive.entries[0]) is None
    assert reasons(archive) == {"big.md": "too large: 3 kB; the limit on file size is 1 kB"}


def test_a_damaged_member_is_listed_once() -> None:
    data = bytearray(zipped({"a.md": "x" * 5_000, "b.md": "fine"}))
    data[36:40] = b"\xff\xff\xff\xff"
    archive = opened(bytes(data))
    assert archive.read(archive.entries[0]) is None
    assert archive.read(archive.entries[0]) is None
    assert [item.where for item in archive.skipped] == ["a.md"]


def test_an_encrypted_archive_says_so() -> None:
    data = bytearray(zipped({"a.md": "x"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        data[at + offset] |= 1
    with pytest.raises(FormatError, match=r"encrypted"):
        open_archive(bytes(data), limits=LIMITS)


@pytest.mark.parametrize("cut", [30, 100, 180])
def test_a_cut_off_zip_is_damaged(cut: int) -> None:
    with pytest.raises(FormatError, match=r"The zip archive is damaged"):
        open_archive(zipped({"a.md": "x" * 5_000, "b.md": "y"})[:cut], limits=LIMITS)


def test_a_name_that_occurs_twice_keeps_its_last_entry() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.md", "first")
        with pytest.warns(UserWarning, match=r"Duplicate name"):
            archive.writestr("a.md", "last")
    found = opened(buffer.getvalue())
    assert [found.read(entry) for entry in found.entries] == [b"last"]
    assert reasons(found) == {"a.md": "the name occurs again; the last one is read"}


def test_tars_of_every_packing_are_read() -> None:
    for mode in ("w:", "w:gz", "w:bz2", "w:xz"):
        data = tarred({"./a.md": "a", "../up.md": "x"}, mode)
        archive = opened(decompress(data, limits=LIMITS) or data)
        assert [(entry.path, entry.modified) for entry in archive.entries] == [("a.md", "2023-11-14T22:13:20Z")]
        assert reasons(archive)["../up.md"].startswith("path traversal")


def test_a_folder_is_read_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.md").write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "b")
    archive = open_folder(tmp_path, limits=LIMITS)
    assert [entry.path for entry in archive.entries] == ["b/x.md"]
    assert reasons(archive) == {"link": "a symbolic link"}
    with pytest.raises(FormatError, match=r"limit on archive entries is 0"):
        open_folder(tmp_path, limits=Limits(archive_entries=0))
    with pytest.raises(FormatError, match=r"not a folder"):
        open_folder(tmp_path / "b" / "x.md", limits=LIMITS)


def test_an_encrypted_file_among_others_is_listed_and_not_read() -> None:
    data = bytearray(zipped({"a.md": "x", "b.md": "y"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + offset] |= 1
    archive = opened(bytes(data))
    assert [entry.path for entry in archive.entries] == ["b.md"]
    assert reasons(archive) == {"a.md": "encrypted"}


def test_what_a_tar_holds_beside_files_is_listed_and_not_read() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:") as written:
        for name, kind in (
            ("folder", tarfile.DIRTYPE),
            ("soft", tarfile.SYMTYPE),
            ("hard", tarfile.LNKTYPE),
            ("pipe", tarfile.FIFOTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "a.md"
            written.addfile(info)
        for name, text in (("a.md", b"a"), ("big.md", b"x" * 2_000)):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            written.addfile(info, io.BytesIO(text))
    archive = opened(buffer.getvalue(), Limits(file_bytes=1_000))
    assert [(entry.path, entry.modified) for entry in archive.entries] == [("a.md", "")]
    assert reasons(archive) == {
        "soft": "a link",
        "hard": "a link",
        "pipe": "not a regular file",
        "big.md": "too large: 2 kB; the limit on file size is 1 kB",
    }


def test_a_tar_of_too_many_entries_is_refused_by_the_name_of_the_limit() -> None:
    data = tarred({f"f{number}": "x" for number in range(4)}, "w:")
    assert len(opened(data, Limits(archive_entries=4)).entries) == 4
    with pytest.raises(FormatError, match=r"lists more than 3 entries; the limit on archive entries is 3"):
        open_archive(data, limits=Limits(archive_entries=3))


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1 kB"),
        (1_540, "1.5 kB"),
        (2_000_000, "2 MB"),
        (1_500_000_000, "1.5 GB"),
    ],
)
def test_a_size_is_written_as_people_read_it(count: int, text: str) -> None:
    assert readable_bytes(count) == text


def test_names_in_another_encoding_are_read_as_the_archive_marks_them() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("größe.md", "a")
        archive.writestr("old_.md", "b")
    # The second name as systems before UTF-8 wrote it: a byte of code page 437 without the flag for UTF-8.
    data = buffer.getvalue().replace(b"old_.md", b"old\x81.md")
    assert [entry.path for entry in opened(data).entries] == ["größe.md", "oldü.md"]


def test_an_archive_of_a_hundred_thousand_entries_is_refused_by_its_end_record() -> None:
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFE, 0xFFFE, 0, 0, 0)
    with pytest.raises(FormatError, match=r"65,534 entries; the limit on archive entries is 20,000"):
        open_archive(b"PK\x03\x04" + end, limits=LIMITS)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(100_000):
            archive.writestr(zipfile.ZipInfo(f"{number}.md"), b"")
    with pytest.raises(FormatError, match=r"100,000 entries; the limit on archive entries is 20,000"):
        open_archive(buffer.getvalue(), limits=LIMITS)


def test_an_archive_inside_an_archive_is_left_closed() -> None:
    inner = zipped({"SKILL.md": "---\nname: inner\n---\n"})
    archive = opened(zipped({"a.md": "x", "inner.zip": inner}))
    assert [entry.path for entry in archive.entries] == ["a.md", "inner.zip"]
    assert archive.read(archive.entries[1]) == inner


def test_an_archive_in_a_file_is_read_entry_by_entry() -> None:
    class Counting(io.BytesIO):
        largest = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            self.largest = max(self.largest, len(data))
            return data

    entries = {f"{number}.md": chr(97 + number) * 200_000 for number in range(20)}
    for data in (zipped(entries), tarred(entries, "w:")):
        file = Counting(data)
        archive = open_archive(file, limits=LIMITS)
        assert archive is not None
        read = {entry.path: archive.read(entry) for entry in archive.entries}
        assert read == {path: text.encode() for path, text in entries.items()}
        assert file.largest < 300_000
