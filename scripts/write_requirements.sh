#!/usr/bin/env bash
# Write requirements.txt: everything that production installs, with its extras, at the versions of constraints.txt, each
# with the hashes of all its files. Needs the package registry.
set -euo pipefail
cd "$(dirname "$0")/.."
export UV_PYTHON_DOWNLOADS=never
uv=.deps/uv/bin/uv
if [ ! -x "$uv" ]; then uv=uv; fi
{
  echo "# Written by \`make requirements\` from pyproject.toml and constraints.txt."
  "$uv" pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
    --python-version "$(cat .python-version)" --constraints constraints.txt --extra s3 --extra parquet --extra vocabularies --extra telemetry pyproject.toml
} > requirements.txt.new
mv requirements.txt.new requirements.txt
