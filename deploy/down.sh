#!/usr/bin/env bash
# Takes away what deploy/up.sh made in a project and labelled, after asking; nothing else. Notes, accounts of people,
# indexes, rules and switched-on services stay; --with-notes deletes the database, too, if it names this deployment as its
# owner and holds nothing else.
# Usage: deploy/down.sh PROJECT [--function-prefix PREFIX] [--database DATABASE] [--with-notes]
# --database names the database where no function is left to name it. What an app stored below our notes goes with them.
set -euo pipefail
exec python3 "$(dirname "$0")/down.py" "$@"
