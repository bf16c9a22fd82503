#!/usr/bin/env python3
"""Run a command with a throw-away PostgreSQL and Redis: `with_servers.py COMMAND ARGUMENT…`.

The command finds them in `DATABASE_URL` and `REDIS_URL`; its exit status is passed on.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(command: list[str]) -> int:
    """Start the servers, run the command, stop the servers."""
    sys.path.insert(0, str(ROOT))
    from tests import servers

    try:
        with servers.postgres() as database, servers.redis() as broker:
            environment = os.environ | {"DATABASE_URL": database, "REDIS_URL": broker}
            return subprocess.run(command, env=environment, check=False).returncode
    except (servers.ServerMissing, servers.ServerFailed) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: with_servers.py COMMAND ARGUMENT…")
    sys.exit(main(sys.argv[1:]))
