#!/usr/bin/env bash
# The functions' revisions before the last deployment again, at once and without a build.
# Usage: deploy/rollback.sh PROJECT [--function-prefix PREFIX]
set -euo pipefail
exec python3 "$(dirname "$0")/rollback.py" "$@"
