#!/usr/bin/env bash
# Takes away what deploy/up.sh made in a project and labelled, after asking; nothing else. Notes, accounts of people,
# indexes, rules and switched-on services stay; --with-notes deletes the database, too, if nobody else keeps anything in it.
# Usage: deploy/down.sh PROJECT [--function-prefix PREFIX] [--with-notes]
set -euo pipefail
exec python3 "$(dirname "$0")/down.py" "$@"
