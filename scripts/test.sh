#!/usr/bin/env bash
# The tests on both stacks: on PostgreSQL with Redis whatever such servers could change, on SQLite with the file broker
# everything. What is pure (tests/conftest.py) is run once, on the second; make test-all drives the browser on the first
# stack too.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-auto}

echo "Tests on PostgreSQL and Redis"
.venv/bin/python scripts/with_servers.py .venv/bin/pytest -q -m "not pure and not slow and not browser" --numprocesses "$jobs" --dist loadgroup

# Servers that were given are for the tests that ask for one; everything else runs as `make run` would.
given=()
[ -n "${DATABASE_URL:-}" ] && given+=("TEST_DATABASE_URL=$DATABASE_URL")
[ -n "${REDIS_URL:-}" ] && given+=("TEST_REDIS_URL=$REDIS_URL")
echo "Tests on SQLite and the file broker"
env -u DATABASE_URL -u REDIS_URL ${given[@]+"${given[@]}"} .venv/bin/pytest -q -m "not slow and not corpus" --numprocesses "$jobs" --dist loadgroup
