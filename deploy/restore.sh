#!/usr/bin/env bash
# The notes of a minute of the last seven days, or of a backup, in a database beside the one that is deployed.
# Usage: deploy/restore.sh PROJECT DATABASE --at 2026-11-22T08:15:00Z | --backup NAME [--function-prefix PREFIX]
set -euo pipefail
exec python3 "$(dirname "$0")/restore.py" "$@"
