#!/usr/bin/env bash
# Ask for known vulnerabilities of everything that production installs: status 1 where there are some, or where a package
# could not be asked about. Needs the network; arguments go to pip-audit (`-s osv` asks osv.dev in place of PyPI).
set -euo pipefail
cd "$(dirname "$0")/.."
exec .venv/bin/pip-audit --strict --require-hashes --disable-pip --progress-spinner off --requirement requirements.txt "$@"
