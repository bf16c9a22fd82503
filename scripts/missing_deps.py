#!/usr/bin/env python3
"""Say which programs the tests need and cannot find; exit 1 if there is one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests import servers


def main() -> int:
    """Print one line for each missing program."""
    database = os.environ.get("DATABASE_URL", "").startswith("postgres")
    found = {
        "PostgreSQL (or DATABASE_URL)": database or servers.postgres_program("postgres"),
        "Redis (or REDIS_URL)": os.environ.get("REDIS_URL") or servers.redis_program(),
        "Chromium (or CHROMIUM)": servers.chromium_program(),
    }
    if sys.platform == "linux":
        found["systemd-analyze (of systemd)"] = shutil.which("systemd-analyze")
    missing = [name for name, program in found.items() if not program]
    for name in missing:
        print(f"The tests need {name}, which was not found.", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
