#!/usr/bin/env bash
# Every function serves an earlier release again, at once and without a build.
# Usage: deploy/rollback.sh PROJECT [--to RELEASE | --list] [--function-prefix PREFIX]
set -euo pipefail
exec python3 "$(dirname "$0")/rollback.py" "$@"
