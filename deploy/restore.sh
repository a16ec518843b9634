#!/usr/bin/env bash
# The notes of a minute of the last seven days, or of a backup, in a database beside the one that is deployed.
# It works where no function is deployed any more, too: a backup says whose it is, and --from names the database.
# Usage: deploy/restore.sh PROJECT DATABASE --at 2026-11-22T08:15:00Z [--from DATABASE] | --backup NAME
#   [--function-prefix PREFIX]
set -euo pipefail
exec python3 "$(dirname "$0")/restore.py" "$@"
