#!/usr/bin/env bash
# What `make test-all` adds to `make test`, so that everything that servers could change has run on both stacks: on
# PostgreSQL and Redis what make test ran on SQLite alone, the slow tests on both, most of the browser's among them, and
# the real files where BUDGETEER_CORPUS names their folder.
set -euo pipefail
cd "$(dirname "$0")/.."
# One process more than there are cores: tests of servers and jobs wait for them most of the time.
jobs=${JOBS:-$(( $(nproc) + 1 ))}

if [ -n "${BUDGETEER_CORPUS:-}" ]; then
  echo "With the real files in $BUDGETEER_CORPUS"
else
  echo "BUDGETEER_CORPUS names no folder of real files"
fi

fallen=0
run() {  # Every stage runs, whatever became of the one before; "no tests were chosen" (status 5) is no failure
  local status=0
  "$@" || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 5 ] || fallen=$status
}

echo "On PostgreSQL and Redis what make test did not run there"
# The kills start both stacks by themselves, and nothing pure (tests/conftest.py) knows a server: once is enough for them.
run .venv/bin/python scripts/with_servers.py \
  .venv/bin/pytest -q -m "not pure and (slow or browser or not stack)" --ignore tests/kills --numprocesses "$jobs" --dist loadgroup

given=()
[ -n "${DATABASE_URL:-}" ] && given+=("TEST_DATABASE_URL=$DATABASE_URL")
[ -n "${REDIS_URL:-}" ] && given+=("TEST_REDIS_URL=$REDIS_URL")
echo "Slow tests on SQLite and the file broker"
run env -u DATABASE_URL -u REDIS_URL ${given[@]+"${given[@]}"} \
  .venv/bin/pytest -q -m "(slow or corpus) and not servers" --numprocesses "$jobs" --dist loadgroup

exit "$fallen"
