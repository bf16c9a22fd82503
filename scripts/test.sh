#!/usr/bin/env bash
# The tests: first those of the stack on PostgreSQL with Redis, then all of them on SQLite with the file broker.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-auto}

echo "Tests of the stack, on PostgreSQL and Redis"
.venv/bin/python scripts/with_servers.py .venv/bin/pytest -q -m "stack and not slow" --numprocesses "$jobs" --dist loadgroup

# Servers that were given are for the tests that ask for one; everything else runs as `make run` would.
given=()
[ -n "${DATABASE_URL:-}" ] && given+=("TEST_DATABASE_URL=$DATABASE_URL")
[ -n "${REDIS_URL:-}" ] && given+=("TEST_REDIS_URL=$REDIS_URL")
echo "All tests, on SQLite and the file broker"
env -u DATABASE_URL -u REDIS_URL ${given[@]+"${given[@]}"} .venv/bin/pytest -q -m "not slow and not corpus" --numprocesses "$jobs" --dist loadgroup
