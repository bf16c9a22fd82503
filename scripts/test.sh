#!/usr/bin/env bash
# The tests: first those that must hold on PostgreSQL with Redis, there; then everything, on SQLite with the file broker.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-auto}

echo "Tests of the stack on PostgreSQL and Redis"
.venv/bin/python scripts/with_servers.py .venv/bin/pytest -q -m "stack and not slow" --numprocesses "$jobs"
echo "All tests on SQLite and the file broker"
.venv/bin/pytest -q -m "not slow and not corpus" --numprocesses "$jobs"
