#!/usr/bin/env bash
# Once a project, after up.sh: metrics from the log lines, a dashboard, and an alert for each thing that can go wrong.
# Usage: deploy/monitor.sh PROJECT EMAIL; safe to run again. `deploy/monitor.sh PROJECT --remove` takes it all away.
set -euo pipefail
project=${1:?project id}
email=${2:?the e-mail address that alerts go to, or --remove}
export CLOUDSDK_CORE_PROJECT=$project CLOUDSDK_CORE_DISABLE_PROMPTS=1
here=$(dirname "$0")/monitoring
title() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["displayName"])' "$1"; }
dashboards() { gcloud monitoring dashboards list --filter="displayName='$(title "$here/dashboard.json")'" --format='value(name)'; }
policies() { gcloud alpha monitoring policies list --filter='userLabels.product=aurora-notes' --format="value($1)"; }
metrics=("$here"/metrics/*.json)

if [ "$email" = --remove ]; then
  for name in $(policies name); do gcloud alpha monitoring policies delete "$name"; done
  for name in $(dashboards); do gcloud monitoring dashboards delete "$name"; done
  for file in "${metrics[@]}"; do gcloud logging metrics delete "$(basename "$file" .json)" || true; done
  echo "The notification channel stays: others may use it."
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

for name in $(dashboards); do gcloud monitoring dashboards delete "$name"; done
gcloud monitoring dashboards create --config-from-file="$here/dashboard.json"

channel=$(gcloud beta monitoring channels list --filter="type=email AND labels.email_address='$email'" --format='value(name)' --limit=1)
[ -n "$channel" ] || channel=$(gcloud beta monitoring channels create --type=email --display-name="Aurora Notes" \
  --channel-labels="email_address=$email" --format='value(name)')
there=$(policies displayName)
for file in "$here"/alerts/*.json; do # one that is there stays: its threshold may have been changed
  grep -qxF "$(title "$file")" <<<"$there" ||
    gcloud alpha monitoring policies create --policy-from-file="$file" --notification-channels="$channel"
done
echo "Dashboard: https://console.cloud.google.com/monitoring/dashboards?project=$project"
