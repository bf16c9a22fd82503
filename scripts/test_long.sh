#!/usr/bin/env bash
# What `make test-all` adds to `make test`: the slow tests, and the real files where BUDGETEER_CORPUS names their folder.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-auto}

marks="slow"
if [ -n "${BUDGETEER_CORPUS:-}" ]; then
  marks="slow or corpus"
  echo "Slow tests, and the real files in $BUDGETEER_CORPUS"
else
  echo "Slow tests (BUDGETEER_CORPUS names no folder of real files)"
fi
status=0
.venv/bin/pytest -q -m "$marks" --numprocesses "$jobs" || status=$?
[ "$status" -eq 5 ] && status=0  # nothing marked slow is not a failure
exit "$status"
