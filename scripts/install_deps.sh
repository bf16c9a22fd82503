#!/usr/bin/env bash
# Install the programs that the tests start: PostgreSQL, Redis, Chromium, and on Linux what checks units of systemd.
set -euo pipefail

if command -v apt-get >/dev/null; then
  become=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Installing packages needs root, and there is no sudo here." >&2; exit 1; }
    become="sudo"
  fi
  # Debian would start the two servers at once; the tests start their own on private ports.
  export DEBIAN_FRONTEND=noninteractive
  $become apt-get update -qq
  $become env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends redis-server postgresql chromium systemd
elif command -v brew >/dev/null; then
  brew install redis postgresql@17
  brew install --cask chromium
else
  cat >&2 <<'SENTENCE'
Neither apt-get nor brew is here. Install PostgreSQL, Redis and Chromium in your system's way, or point at them:
  DATABASE_URL=postgresql://…  REDIS_URL=redis://…  CHROMIUM=/path/to/chromium
SENTENCE
  exit 1
fi
