"""Keep local mode's files private to their owner: other accounts of the computer cannot read them.

What is made now is made so by the umask that `serve` sets; what an earlier version made is mended at the start.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from budgeteer.operations.findings import Finding, ok, warning

OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""Every right of the group and of everybody else."""

#: What of the data folder is ours; whatever else lies there is left as it is.
OURS = ("budgeteer.sqlite3*", "secret_key*", "migrated", "address", "broker", "media")


def keep_private() -> None:
    """Take the rights of others from local mode's data; nothing in team mode, or where others have none."""
    folder = Path(settings.DATA_DIR)
    if settings.BUDGETEER_MODE != "local" or not folder.is_dir():
        return
    for path in _open_to_others(folder):
        try:
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
        except OSError:
            continue  # another account's; the doctor names it


def private() -> Iterator[Finding]:
    """Whether other accounts of this computer are kept from local mode's files."""
    folder = Path(settings.DATA_DIR)
    if settings.BUDGETEER_MODE != "local" or not folder.is_dir():
        return
    if found := next(_open_to_others(folder), None):
        sentence = f"Other accounts of this computer may have a right to {found}."
        yield warning("private", sentence, mend=f"Start the dashboard, or run: chmod -R go-rwx {folder}")
    else:
        yield ok("private", f"{folder} is for its owner only.")


def _open_to_others(folder: Path) -> Iterator[Path]:
    """What of ours others have a right to, the folder last; nothing inside a folder that they may not enter.

    A folder that is everybody's by intent (with the sticky bit, as /tmp) stays so; only what is ours in it is named.
    """
    mode = folder.stat().st_mode
    if not mode & OTHERS:
        return
    for pattern in OURS:
        for path in folder.glob(pattern):
            yield from _below(path)
    if not mode & stat.S_ISVTX:
        yield folder


def _below(path: Path) -> Iterator[Path]:
    if path.is_symlink():
        return
    if path.is_dir():
        with os.scandir(path) as entries:
            inside = [Path(entry.path) for entry in entries]
        for entry in inside:
            yield from _below(entry)
    try:
        is_open = bool(path.stat().st_mode & OTHERS)
    except FileNotFoundError:
        return  # removed since it was listed
    if is_open:
        yield path
