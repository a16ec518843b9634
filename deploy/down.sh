#!/usr/bin/env bash
# Takes away what deploy/up.sh made in a project and labelled, after asking; nothing else. Notes, accounts of people,
# indexes, rules and switched-on services stay; --with-notes deletes the database, too, if it names this deployment as its
# owner and holds no document of anybody else.
# Usage: deploy/down.sh PROJECT [--function-prefix PREFIX] [--database DATABASE] [--with-notes]
#        deploy/down.sh PROJECT --only-database DATABASE    one that no function uses any more, and nothing else
# --database names the database where no function is left to name it.
set -euo pipefail
exec python3 "$(dirname "$0")/down.py" "$@"
