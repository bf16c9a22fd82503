#!/usr/bin/env bash
# The tests on SQLite with the file broker, and on PostgreSQL with Redis those whose subject such servers are: jobs,
# locks, messages, restarts (STACK_PLACES in tests/conftest.py). make test-all runs the rest on the second stack, drives
# the browser further than its journeys, and adds what is slow.
set -euo pipefail
cd "$(dirname "$0")/.."
# One process more than there are cores: tests of servers and jobs wait for them most of the time.
jobs=${JOBS:-$(( $(nproc) + 1 ))}

# In a clean checkout the tests are not compiled yet. These processes wait for servers most of the time: compiled beside
# them once, rather than by each process of the next stage at the same moment.
.venv/bin/pytest -q --collect-only -p no:cacheprovider -m "not slow and not corpus" >/dev/null 2>&1 &
compiling=$!

echo "Tests of jobs and servers on PostgreSQL and Redis"
.venv/bin/python scripts/with_servers.py .venv/bin/pytest -q -m "stack and not slow" --numprocesses "$jobs" --dist loadgroup

wait "$compiling" || true  # what cannot be collected is said below

# Servers that were given are for the tests that ask for one; everything else runs as `make run` would.
given=()
[ -n "${DATABASE_URL:-}" ] && given+=("TEST_DATABASE_URL=$DATABASE_URL")
[ -n "${REDIS_URL:-}" ] && given+=("TEST_REDIS_URL=$REDIS_URL")
echo "Tests on SQLite and the file broker"
env -u DATABASE_URL -u REDIS_URL ${given[@]+"${given[@]}"} .venv/bin/pytest -q -m "not slow and not corpus" --numprocesses "$jobs" --dist loadgroup
