#!/usr/bin/env bash
# Once a project: the services, the database, service accounts with the least roles, the key. Safe to run again.
# Usage: GEMINI_API_KEY=... deploy/setup.sh PROJECT [DATABASE_LOCATION]
set -euo pipefail
project=${1:?project id}
database_location=${2:-eur3}
# shellcheck source=deploy/common.sh
source "$(dirname "$0")/common.sh"

echo "- Services: switching them on costs nothing."
gcloud services enable cloudfunctions.googleapis.com run.googleapis.com eventarc.googleapis.com pubsub.googleapis.com \
  cloudbuild.googleapis.com artifactregistry.googleapis.com firestore.googleapis.com firebaserules.googleapis.com \
  cloudscheduler.googleapis.com secretmanager.googleapis.com logging.googleapis.com iam.googleapis.com \
  compute.googleapis.com cloudresourcemanager.googleapis.com storage.googleapis.com firebase.googleapis.com \
  identitytoolkit.googleapis.com

echo "- Database, in $database_location unless there is one: billed by what is read, written and kept."
kind=$(gcloud firestore databases describe --database='(default)' --format='value(type)' 2>/dev/null) ||
  gcloud firestore databases create --location="$database_location" >/dev/null
if [ "$kind" = DATASTORE_MODE ]; then
  echo "The database (default) of $project is in Datastore mode, which cannot be changed: take another project." >&2
  exit 1
fi

echo "- Service accounts, each with the roles it needs: free."
there=$(gcloud iam service-accounts list --format='value(email)')
for name in "${accounts[@]}"; do
  grep -qxF "$(email "$name")" <<<"$there" || gcloud iam service-accounts create "$name" --display-name="$name"
done
again change_policy add
running=()
for name in aurora-functions aurora-events aurora-scheduler aurora-build; do # the deployment may use these, no other
  again gcloud iam service-accounts add-iam-policy-binding "$(email "$name")" \
    --member="serviceAccount:$(email aurora-deploy)" --role=roles/iam.serviceAccountUser &
  running+=($!)
done
for each in "${running[@]}"; do wait "$each"; done

echo "- The Gemini key, as a secret that only the functions may read: free up to six versions."
keep_key
again gcloud secrets add-iam-policy-binding gemini-api-key --role=roles/secretmanager.secretAccessor \
  --member="serviceAccount:$(email aurora-functions)"
