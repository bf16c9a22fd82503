#!/usr/bin/env bash
# Every check that reads the code without running the tests. All of them run; the status is 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
failed=()

check() {
  local name=$1; shift
  local output status=0
  output=$("$@" 2>&1) || status=$?
  if [ "$status" -eq 0 ]; then printf '  ok     %s\n' "$name"; return; fi
  printf '  FAILED %s\n%s\n' "$name" "$output"
  failed+=("$name")
}

templates() { find templates -name '*.html' -print0 | xargs -0 -r "$@"; }
# A private data folder: a check must not touch the data of a running dashboard.
BUDGETEER_DATA_DIR=$(mktemp -d); export BUDGETEER_DATA_DIR
trap 'rm -rf "$BUDGETEER_DATA_DIR"' EXIT

check "format (ruff format)" ruff format --check .
check "lint (ruff)" ruff check .
check "types (mypy)" mypy
check "directions (import-linter)" lint-imports
check "template format (djade)" templates djade --check --target-version 6.1
check "template lint (djlint)" djlint templates --lint --quiet
check "migrations are complete" python manage.py makemigrations --check --dry-run
check "settings for a team pass Django's deployment check" env BUDGETEER_MODE=team \
  SECRET_KEY="only-for-this-check-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEF" ALLOWED_HOSTS=budgeteer.example \
  python manage.py check --deploy --fail-level WARNING

if [ "${#failed[@]}" -gt 0 ]; then
  printf '%s\n' "${#failed[@]} of the checks failed: $(IFS=','; echo "${failed[*]}" | sed 's/,/, /g')"
  exit 1
fi
