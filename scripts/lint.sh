#!/usr/bin/env bash
# Every check that reads the code without running the tests. All of them run; the status is 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
found=$(mktemp -d)
names=()

check() {  # starts a check in the background; its output and status are collected at the end
  names+=("$1"); local place=${#names[@]}; shift
  ( status=0; "$@" >"$found/$place.out" 2>&1 || status=$?; echo "$status" >"$found/$place.status" ) &
}

templates() { find templates -name '*.html' -print0 | xargs -0 -r "$@"; }
# A private data folder: a check must not touch the data of a running dashboard.
BUDGETEER_DATA_DIR=$(mktemp -d); export BUDGETEER_DATA_DIR
trap 'rm -rf "$BUDGETEER_DATA_DIR" "$found"' EXIT

check "types (mypy)" mypy
check "format (ruff format)" ruff format --check .
check "lint (ruff)" ruff check .
check "directions (import-linter)" lint-imports
check "template format (djade)" templates djade --check --target-version 6.1
check "template lint (djlint)" djlint templates --lint --quiet
check "migrations are complete" python manage.py makemigrations --check --dry-run
check "settings for a team pass Django's deployment check" env BUDGETEER_MODE=team \
  SECRET_KEY="only-for-this-check-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEF" ALLOWED_HOSTS=budgeteer.example \
  python manage.py check --deploy --fail-level WARNING

wait
failed=0
for place in $(seq "${#names[@]}"); do
  if [ "$(cat "$found/$place.status")" = 0 ]; then printf '  ok     %s\n' "${names[place - 1]}"; continue; fi
  printf '  FAILED %s\n' "${names[place - 1]}"
  cat "$found/$place.out"
  failed=$((failed + 1))
done
if [ "$failed" -gt 0 ]; then echo "$failed of the checks failed"; exit 1; fi
