#!/usr/bin/env bash
# Once a project, after up.sh: metrics from the log lines, a dashboard, and an alert for each thing that can go wrong.
# Safe to run again, with another address too. --remove takes it all away but the address, which other alerts may use.
# Usage: deploy/monitor.sh PROJECT EMAIL | --remove
set -euo pipefail
usage() {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
project=${1:-} email=${2:-}
[[ $# = 2 && $project =~ ^[a-z][a-z0-9-]{4,28}[a-z0-9]$ && ($email = --remove || $email =~ ^[^@[:space:]\']+@[^@[:space:]\']+$) ]] || usage
command -v gcloud >/dev/null || { echo "gcloud is not installed" >&2 && exit 1; }
export CLOUDSDK_CORE_PROJECT=$project CLOUDSDK_CORE_DISABLE_PROMPTS=1
here=$(mktemp -d) # the files, with FUNCTION_PREFIX before the functions' names
trap 'rm -r "$here"' EXIT
cp -r "$(dirname "$0")"/monitoring/* "$here"
find "$here" -name '*.json' -exec sed -i -E "/service_name/s/\\\\\"(chat|api)\\\\\"/\\\\\"${FUNCTION_PREFIX:-}\1\\\\\"/g" {} +
title() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["displayName"])' "$1"; }
dashboards() { gcloud monitoring dashboards list --filter="displayName='$(title "$here/dashboard.json")'" --format='value(name)'; }
policies() { gcloud alpha monitoring policies list --filter='userLabels.product=aurora-notes' --format="value($1)"; }
metrics=("$here"/metrics/*.json)
create() { # an alert, once its metric can be found: of a new one that takes Google up to ten minutes
  local said pause
  for pause in 2 10 30 60 120 180 180 0; do
    said=$(gcloud alpha monitoring policies create --policy-from-file="$1" --notification-channels="$2" 2>&1) && break
    [[ $said == *"Cannot find metric"* && $pause != 0 ]] || { echo "$said" >&2 && return 1; }
    echo "- $(basename "$1" .json): Google does not know the new metric yet; trying again in $pause s"
    sleep "${DEPLOY_PAUSE:-$pause}"
  done
}

if [ "$email" = --remove ]; then
  alerts=$(policies name) # one a line: bash heeds the last failure of a line alone
  boards=$(dashboards)
  there=$(gcloud logging metrics list --format='value(name)')
  for name in $alerts; do gcloud alpha monitoring policies delete "$name"; done
  for name in $boards; do gcloud monitoring dashboards delete "$name"; done
  for file in "${metrics[@]}"; do
    name=$(basename "$file" .json)
    if grep -qxF "$name" <<<"$there"; then gcloud logging metrics delete "$name"; fi
  done
  exit
fi

echo "- Cloud Monitoring: log-based metrics and the dashboard are free, alerts are billed by condition."
gcloud services enable monitoring.googleapis.com
there=$(gcloud logging metrics list --format='value(name)')
for file in "${metrics[@]}"; do
  name=$(basename "$file" .json)
  if grep -qxF "$name" <<<"$there"; then change=update; else change=create; fi
  gcloud logging metrics "$change" "$name" --config-from-file="$file"
done

boards=$(dashboards)
for name in $boards; do gcloud monitoring dashboards delete "$name"; done
gcloud monitoring dashboards create --config-from-file="$here/dashboard.json"

channel=$(gcloud beta monitoring channels list --filter="type=email AND labels.email_address='$email'" --format='value(name)' --limit=1)
[ -n "$channel" ] || channel=$(gcloud beta monitoring channels create --type=email --display-name="Aurora Notes" \
  --channel-labels="email_address=$email" --format='value(name)')
there=$(policies name,displayName)
for file in "$here"/alerts/*.json; do # one that is there keeps its threshold, which may have been changed
  name=$(awk -F '\t' -v title="$(title "$file")" '$2 == title { print $1; exit }' <<<"$there")
  if [ -n "$name" ]; then
    gcloud alpha monitoring policies update "$name" --add-notification-channels="$channel"
  else
    create "$file" "$channel"
  fi
done
echo "Dashboard: https://console.cloud.google.com/monitoring/dashboards?project=$project"
