"""Which source a file was pushed to, so that the next push sends only what is new. Paths and ids, no texts."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path


def pushed_file() -> Path:
    """Where that is kept: `budgeteer/pushed.json` in the folder for state."""
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(folder) / "budgeteer" / "pushed.json"


def source_of(url: str, path: Path) -> str:
    """The id of the source at that dashboard, "" where it was not pushed or nobody knows any more."""
    return _read().get(url, {}).get(str(path.resolve()), "")


def remember(url: str, path: Path, source_id: str) -> None:
    """Keep where a file was pushed to."""
    kept = _read()
    kept.setdefault(url, {})[str(path.resolve())] = source_id
    place = pushed_file()
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, written = tempfile.mkstemp(dir=place.parent, prefix="pushed.")
    with os.fdopen(descriptor, "w") as file:
        json.dump(kept, file, indent=2)
    Path(written).replace(place)


def _read() -> dict[str, dict[str, str]]:
    """What is kept; nothing where it is not there or not ours: then files are uploaded whole, which is no loss."""
    try:
        found = json.loads(pushed_file().read_text())
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        str(url): {str(path): str(source) for path, source in files.items()}
        for url, files in found.items()
        if isinstance(files, dict)
    }
