#!/bin/sh
# Make the secrets that docker-compose.yml mounts, once: what is there stays. Needs nothing but a POSIX shell.
#   scripts/make_secrets.sh [FOLDER]     (without one: secrets/ beside docker-compose.yml)
set -eu
folder=${1:-"$(dirname "$0")/../secrets"}

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

keep() {  # keep NAME: the file with what comes in, unless there is one
  if [ -s "$folder/$1" ]; then cat >/dev/null; return; fi
  (umask 077; cat >"$folder/$1.part")
  # The folder keeps everybody else on this machine out; in the containers accounts without rights read the files.
  chmod 0444 "$folder/$1.part"
  mv "$folder/$1.part" "$folder/$1"
  echo "made $1" >&2
}

mkdir -p "$folder"
chmod 0700 "$folder"
random | keep secret_key
random | keep postgres_password
if [ ! -s "$folder/redis_config" ]; then
  printf 'requirepass %s\nappendonly yes\nmaxmemory-policy noeviction\ndir /data\n' "$(random)" | keep redis_config
fi
printf 'postgresql://budgeteer:%s@postgres:5432/budgeteer' "$(cat "$folder/postgres_password")" | keep database_url
printf 'redis://:%s@redis:6379/0' "$(sed -n 's/^requirepass //p' "$folder/redis_config")" | keep redis_url
