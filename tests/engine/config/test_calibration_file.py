"""A calibration as a file comes back as it was, and what is none says why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.engine.config.calibration_file import calibration_document, read_calibrations
from budgeteer.engine.config.schema import ModelCalibration, load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.packing.allocation import allowance, calibration_of, tokenizer_of

ENTRY: dict[str, Any] = {
    "model": "claude-opus-4-5",
    "tokenizer": "claude-v3",
    "perToken": 1.0002,
    "perMessage": 6,
    "perCall": 46,
    "perParameter": 14,
    "error": {"median": 0.0014, "p95": 0.0149, "p99Under": 0.0239},
    "requests": 521,
    "made": "2026-11-23",
    "source": "2 files",
}


def document(**changed: Any) -> str:
    return json.dumps({"format": "budgeteer-calibration", "version": 1, "calibrations": [ENTRY], **changed})


def test_what_is_kept_is_read_back() -> None:
    (entry,) = read_calibrations(document())
    assert calibration_document([entry]) == json.loads(document())
    assert entry == ModelCalibration.model_validate(ENTRY)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("{", "", "is not JSON"),
        ("[]", "", "is no calibration"),
        ('{"model": "gpt-4o"}', "", "is no calibration"),
        (document(version=2), "version", "version 2"),
        (document(extra=1), "extra", "not known"),
        (document(calibrations=[]), "calibrations", "holds no calibration"),
        (document(calibrations=None), "calibrations", "None cannot be used"),
        (document(calibrations=[{**ENTRY, "perToken": 40}]), "calibrations.0.perToken", "40 cannot be used"),
        (document(calibrations=[{**ENTRY, "perCalls": 4}]), "calibrations.0.perCalls", "not known"),
        (document(calibrations=[{**ENTRY, "tokenizer": "chars/4"}]), "calibrations.0.tokenizer", "cannot be used"),
        (document(calibrations=[{**ENTRY, "made": "today"}]), "calibrations.0.made", "cannot be used"),
    ],
)
def test_what_is_none_says_what_and_where(text: str, where: str, what: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_calibrations(text)
    assert caught.value.where == where
    assert what in caught.value.sentence


def test_it_counts_for_its_own_model_and_tokenizer_and_sets_the_margin() -> None:
    own = load_config({"model": "claude-opus-4-5-20251101", "calibrations": [{**ENTRY, "requests": 20}, ENTRY]})
    assert tokenizer_of(own) == "claude-v3x1.0002m6c46p14"
    allowed = allowance(own, counter_for(tokenizer_of(own)))
    assert (allowed.tokenizer, allowed.kind, allowed.safety_margin_percent) == ("claude-v3", "calibrated", 3)
    assert allowed.calibration == ModelCalibration.model_validate(ENTRY), "the last one counts"
    for other in ({"model": "claude-opus-4-6"}, {"model": "claude-opus-4-5", "tokenizer": "o200k_base"}):
        config = load_config({**other, "calibrations": [ENTRY]})
        assert calibration_of(config) is None
        assert tokenizer_of(config) in ("claude-v3", "o200k_base")
    asked = load_config({"model": "claude-opus-4-5", "calibrations": [ENTRY], "safetyMarginPercent": 0})
    assert allowance(asked, counter_for(tokenizer_of(asked))).safety_margin_percent == 0
