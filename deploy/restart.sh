#!/usr/bin/env bash
# New instances of every function, of the release that it serves: they read another key. Nothing is built.
# Usage: deploy/restart.sh PROJECT [--function-prefix PREFIX]
set -euo pipefail
exec python3 "$(dirname "$0")/restart.py" "$@"
