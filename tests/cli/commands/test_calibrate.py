"""`budgeteer calibrate` over sessions that record what their requests took."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Budgeteer
from tests.formats.shapes import recorded_session


def test_sessions_of_a_folder_are_held_against_their_counts(budgeteer: Budgeteer, tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "harbour"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_bytes(recorded_session(30).data)
    (folder / "two.jsonl").write_bytes(recorded_session(2, model="new-model").data)
    (folder / "notes.txt").write_text("Nothing was recorded here.")
    (folder / "broken.json").write_bytes(b"\x00{")
    shown = budgeteer("calibrate", tmp_path)
    assert shown.status == 0, shown.err
    assert "2 files with recorded requests, 2 passed over that record none." in shown.out
    assert "claude-sonnet-4-5  claude-v3  30" in shown.out
    assert "its model is not known" in shown.out
    data = json.loads(budgeteer("calibrate", tmp_path, "--json").out)
    first, second = data["models"]
    assert (data["files"], data["filesPassedOver"]) == (2, 2)
    assert (first["model"], first["requests"], first["requestsUsed"]) == ("claude-sonnet-4-5", 30, 29)
    assert first["leftOut"] == {"last": 1}
    assert first["coefficients"] is not None
    assert second["leftOut"] == {"unknown_model": 2}
    as_known = json.loads(budgeteer("calibrate", tmp_path, "--json", "--model", "claude-opus-4-5").out)
    assert [one["model"] for one in as_known["models"]] == ["claude-sonnet-4-5", "claude-opus-4-5"]


def test_files_that_record_nothing_are_said_to(budgeteer: Budgeteer, tmp_path: Path) -> None:
    plain = tmp_path / "talk.json"
    plain.write_text(json.dumps([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day."}]))
    shown = budgeteer("calibrate", plain)
    assert shown.status == 1
    assert shown.out.strip() == "0 files with recorded requests, 1 passed over that record none."


def test_bad_input_says_what_and_where(budgeteer: Budgeteer, tmp_path: Path) -> None:
    missing = budgeteer("calibrate", tmp_path / "no.jsonl")
    assert missing.status == 2
    assert "no.jsonl" in missing.err
    session = tmp_path / "one.jsonl"
    session.write_bytes(recorded_session(2).data)
    assert "no model 'gpt-0'" in budgeteer("calibrate", session, "--model", "gpt-0").err
    unknown = budgeteer("calibrate", session, "--tokenizer", "no-such")
    assert unknown.status == 2
    assert "claude-v3" in unknown.err


def test_a_calibration_is_kept_and_counts(budgeteer: Budgeteer, tmp_path: Path) -> None:
    session, kept = tmp_path / "one.jsonl", tmp_path / "kept.json"
    session.write_bytes(recorded_session(30).data)
    written = budgeteer("calibrate", session, "--write", kept)
    assert written.status == 0, written.err
    assert f"{kept}: claude-sonnet-4-5 with claude-v3" in written.out
    assert budgeteer("calibrate", session, "--write", kept, "--json").status == 0  # an earlier one is replaced
    (entry,) = json.loads(kept.read_text())["calibrations"]
    packed = ("pack", "--conversation", session, "--model", "claude-sonnet-4-5")
    with_file = json.loads(budgeteer(*packed, "--calibration", kept, "--json").out)
    in_config = json.loads(
        budgeteer(*packed, "--set", f"calibrations=[{json.dumps(entry)}]", "--json", "--no-cache").out
    )
    assert with_file == in_config
    assert (with_file["kind"], with_file["tokenizer"]) == ("calibrated", "claude-v3")
    assert with_file["calibration"] == {key: value for key, value in entry.items() if key != "source"}
    assert (
        f"(calibrated, ±{entry['error']['p95']:.1%}".replace("%", " %") in budgeteer(*packed, "--calibration", kept).out
    )


def test_a_calibration_that_cannot_be_used_says_what_and_where(budgeteer: Budgeteer, tmp_path: Path) -> None:
    session, kept, other = tmp_path / "one.jsonl", tmp_path / "kept.json", tmp_path / "notes.json"
    session.write_bytes(recorded_session(30).data)
    other.write_text("{}")
    assert budgeteer("calibrate", session, "--write", kept).status == 0
    assert "is there already and is no calibration" in budgeteer("calibrate", session, "--write", other).err
    assert other.read_text() == "{}"
    packed = ("pack", "--conversation", session, "--model")
    for model, file, what in (
        ("gpt-4o", kept, "holds nothing for gpt-4o with o200k_base"),
        ("claude-sonnet-4-5", other, "notes.json: is no calibration"),
        ("claude-sonnet-4-5", tmp_path / "missing.json", "missing.json: cannot be read"),
    ):
        shown = budgeteer(*packed, model, "--calibration", file)
        assert (shown.status, what in shown.err) == (2, True), shown.err
    few = tmp_path / "few.jsonl"
    few.write_bytes(recorded_session(3).data)
    nothing = budgeteer("calibrate", few, "--write", tmp_path / "nothing.json")
    assert nothing.status == 1
    assert "Not kept: claude-sonnet-4-5, fewer than 20" in nothing.out
    assert not (tmp_path / "nothing.json").exists()
