"""A calibration as a file: what `budgeteer calibrate --write` keeps and `--calibration` reads.

    {"format": "budgeteer-calibration", "version": 1, "calibrations": [{"model", "tokenizer", …}]}

Its entries are those of the configuration's `calibrations`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.config.schema import ModelCalibration, config_errors, load_config
from budgeteer.engine.config.size_limits import text_size_error
from budgeteer.engine.errors import ConfigError

FORMAT: Final = "budgeteer-calibration"
VERSION: Final = 1

_MADE_BY: Final = "budgeteer calibrate FILES --write makes one."


def calibration_document(calibrations: Sequence[ModelCalibration]) -> dict[str, Any]:
    """The file's content as plain data."""
    entries = [one.model_dump(mode="json", by_alias=True) for one in calibrations]
    return {"format": FORMAT, "version": VERSION, "calibrations": entries}


def read_calibrations(text: str) -> tuple[ModelCalibration, ...]:
    """The calibrations of a file's text.

    Raises:
        ConfigError: it is none, of another version, or holds what cannot be used; `where` is a path inside it.
    """
    if refused := text_size_error(text):
        raise refused
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError("is not JSON", mend=f"Expected a calibration: {_MADE_BY}") from error
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ConfigError(f'is no calibration: it has no "format": "{FORMAT}"', mend=_MADE_BY)
    if data.get("version") != VERSION:
        what = f"is a calibration of version {json.dumps(data.get('version'))[:40]}, and only {VERSION} can be read"
        raise ConfigError(what, where="version", mend="Make it again with this version of Budgeteer.")
    unknown = sorted(set(map(str, data)) - {"format", "version", "calibrations"})
    if unknown:
        mend = "A calibration has format, version and calibrations."
        raise ConfigError("this key is not known", where=unknown[0][:60], mend=mend)
    entries = {"calibrations": data.get("calibrations")}
    if unusable := config_errors(entries):
        raise unusable[0]
    calibrations = load_config(entries).calibrations
    if not calibrations:
        raise ConfigError("holds no calibration", where="calibrations", mend=_MADE_BY)
    return tuple(calibrations)
