"""A dashboard whose data folder is a small disk of its own, which can be filled up and made read-only for real.

The disk is a tmpfs in a mount namespace of the dashboard: nobody else sees it, and it goes when the last of its
processes ends. A machine that allows no such namespace (`unshare`) is an error, never a skipped test.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.browser.stack import CHECKOUT, Stack, running_stack
from tests.servers import ServerMissing
from tests.waiting import wait_until

SIZE_MB: Final = 64
_START: Final = f'mount -t tmpfs -o size={SIZE_MB}m,mode=700 tmpfs "$1" && echo $$ >"$2" && shift 2 && exec "$@"'
_PAGE: Final = bytes(4096)


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """The disk as its dashboard sees it: `folder` is the data folder, `process` the dashboard."""

    folder: Path
    process: int

    @property
    def _seen(self) -> Path:
        return Path(f"/proc/{self.process}/root{self.folder}")

    def fill(self) -> int:
        """Write until there is no room left; the bytes it took."""
        written = 0
        with (self._seen / "filler").open("ab", buffering=0) as filler:
            while True:
                try:
                    written += filler.write(_PAGE)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    return written

    def make_room(self) -> None:
        """Take it away again."""
        (self._seen / "filler").unlink()

    def make_read_only(self) -> None:
        """Let nothing be opened for writing any more; files that are open already stay so."""
        wait_until(self._is_made_read_only, what="a moment in which nothing is opened for writing")

    def _is_made_read_only(self) -> bool:
        """Lay the folder over itself, read-only; False where a file was opened for writing in the midst of it."""
        folder = str(self.folder)
        self._inside("mount", "--bind", folder, folder)
        try:
            self._inside("mount", "-o", "remount,bind,ro", folder)
        except subprocess.CalledProcessError as error:
            if b"busy" not in error.stderr:
                raise
            self.make_writable()
            return False
        return True

    def make_writable(self) -> None:
        """Take that back."""
        self._inside("umount", "--lazy", str(self.folder))

    def _inside(self, *command: str) -> None:
        """Run a command where the disk is mounted."""
        enter = ["nsenter", "--target", str(self.process), "--mount"]
        own = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        subprocess.run([*enter, *own, *command], check=True, capture_output=True)


@contextmanager
def dashboard_on_a_small_disk(folder: Path) -> Iterator[tuple[Stack, SmallDisk]]:
    """Start `budgeteer serve` over such a disk.

    Args:
        folder: an empty folder for what is needed beside the disk.

    Raises:
        ServerMissing: this machine gives no mount namespace.
    """
    data, told = folder / "data", folder / "process"
    data.mkdir()
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    tried = subprocess.run([*namespace, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise ServerMissing(f"No mount namespace can be had here (`unshare`): {tried.stderr.strip()}")
    program = [*namespace, "sh", "-c", _START, "sh", str(data), str(told), *CHECKOUT]
    with running_stack(data, program=program, PYTHONPATH=str(Path(__file__).parents[2])) as stack:
        yield stack, SmallDisk(data, int(told.read_text()))
