#!/usr/bin/env bash
# Once a deployment, after up.sh: metrics from the log lines, a dashboard, uptime checks, a topic for events that no
# function takes, and an alert for each thing that can go wrong. Safe to run again, with another address too.
# Usage: deploy/monitor.sh PROJECT EMAIL [--function-prefix PREFIX]
#        deploy/monitor.sh PROJECT --events    where deploy/terraform made the rest: only the topic for such events
#        deploy/monitor.sh PROJECT --remove    all but the addresses, which other alerts may use
set -euo pipefail
exec python3 "$(dirname "$0")/monitor.py" "$@"
