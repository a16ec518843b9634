#!/usr/bin/env bash
# Takes away what deploy/up.sh made in a project, after asking. Notes, accounts of people, indexes, rules and switched-on
# services stay; --with-notes deletes the database, too, which nobody can undo. Safe to run again.
# Usage: deploy/down.sh PROJECT [--region REGION] [--with-notes]
set -euo pipefail
usage() {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
project=${1:-}
[[ $project =~ ^[a-z][a-z0-9-]{4,28}[a-z0-9]$ ]] || usage
shift
region=${REGION:-} notes=keep
while (($#)); do
  case $1 in
  --region) region=${2:?region} && shift ;;
  --with-notes) notes=delete ;;
  *) usage ;;
  esac
  shift
done
# shellcheck source=deploy/common.sh
source "$(dirname "$0")/common.sh"

region=${region:-$(gcloud functions list --v2 --filter='name~/functions/chat$' --format='value(name.segment(3))')}
region=${region:-europe-west1}
echo "In $project: the functions in $region, their schedule, the secret with the Gemini key, five service accounts."
[ $notes = keep ] || echo "And the database (default) with ALL notes of ALL people, for good."
read -rp "Type the project's id to delete them: " typed || typed=
[ "$typed" = "$project" ] || { echo "Nothing was deleted." >&2 && exit 1; }

gone() { # what, whether it is there (a list of names, a name), the command
  local what=$1 names=$2 name=$3
  shift 3
  grep -qxF "$name" <<<"$names" || return 0
  "$@" --quiet >/dev/null
  echo "- $what is deleted."
}
jobs=$(gcloud scheduler jobs list --location="$region" --format='value(name.basename())')
gone "The schedule" "$jobs" aurora-reconcile gcloud scheduler jobs delete aurora-reconcile --location="$region"
deployed=$(gcloud functions list --v2 --regions="$region" --format='value(name.basename())')
for name in "${functions[@]}"; do
  gone "Function $name" "$deployed" "$name" gcloud functions delete "$name" --gen2 --region="$region"
done
secrets=$(gcloud secrets list --format='value(name.basename())')
gone "The Gemini key" "$secrets" gemini-api-key gcloud secrets delete gemini-api-key
again change_policy remove
there=$(gcloud iam service-accounts list --format='value(email)')
for name in "${accounts[@]}"; do
  gone "Account $name" "$there" "$(email "$name")" gcloud iam service-accounts delete "$(email "$name")"
done
if [ $notes = delete ]; then
  databases=$(gcloud firestore databases list --format='value(name.basename())')
  gone "The database" "$databases" '(default)' gcloud firestore databases delete --database='(default)'
fi
echo "Done. Uploaded sources stay in the bucket ${project}_cloudbuild, which other builds may use, too."
