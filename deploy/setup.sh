#!/usr/bin/env bash
# Once a project: the services, the database, service accounts with the least roles, the key. Safe to run again.
# Usage: GEMINI_API_KEY=... deploy/setup.sh PROJECT [DATABASE_LOCATION]
set -euo pipefail
project=${1:?project id}
database_location=${2:-eur3}
export CLOUDSDK_CORE_PROJECT=$project CLOUDSDK_CORE_DISABLE_PROMPTS=1

key() { printf %s "${GEMINI_API_KEY:?set it to your Gemini API key}"; }
again() { # a command, until it works: Google knows a new account everywhere only after a while
  local said pause
  for pause in 2 4 8 16 32 0; do
    said=$("$@" 2>&1) && return
    sleep "$pause"
  done
  echo "$said" >&2
  return 1
}

echo "Switching on the services (nothing is billed for that)"
gcloud services enable cloudfunctions.googleapis.com run.googleapis.com eventarc.googleapis.com pubsub.googleapis.com \
  cloudbuild.googleapis.com artifactregistry.googleapis.com firestore.googleapis.com firebaserules.googleapis.com \
  cloudscheduler.googleapis.com secretmanager.googleapis.com logging.googleapis.com iam.googleapis.com \
  compute.googleapis.com cloudresourcemanager.googleapis.com storage.googleapis.com

echo "The database, in $database_location unless there is one (billed by reads, writes and size)"
gcloud firestore databases describe --database='(default)' >/dev/null 2>&1 ||
  gcloud firestore databases create --location="$database_location" >/dev/null

echo "Service accounts with their roles"
accounts=$(gcloud iam service-accounts list --format='value(email)')
email() { echo "$1@$project.iam.gserviceaccount.com"; }
wanted=()
account() { # name, its roles in the project
  local name=$1 role
  shift
  grep -qxF "$(email "$name")" <<<"$accounts" || gcloud iam service-accounts create "$name" --display-name="$name"
  for role in "$@"; do wanted+=("$role serviceAccount:$(email "$name")"); done
}
account aurora-functions roles/datastore.user
account aurora-events roles/eventarc.eventReceiver roles/run.invoker
account aurora-scheduler roles/run.invoker
account aurora-build roles/cloudbuild.builds.builder # builds the functions' images, and runs what their packages bring
account aurora-deploy roles/cloudfunctions.developer roles/run.admin roles/firebaserules.admin \
  roles/datastore.indexAdmin roles/cloudscheduler.admin roles/serviceusage.serviceUsageConsumer \
  roles/logging.logWriter roles/storage.objectViewer

grant() { # all roles in one change of the project's policy; its etag refuses what somebody else changed meanwhile
  local policy
  policy=$(gcloud projects get-iam-policy "$project" --format=json)
  printf '%s\n' "${wanted[@]}" | python3 -c '
import json, sys
policy = json.loads(sys.argv[1])
for line in sys.stdin:
    role, member = line.split()
    bindings = policy.setdefault("bindings", [])
    plain = next((each for each in bindings if each["role"] == role and "condition" not in each), None)
    if plain is None:
        bindings.append(plain := {"role": role, "members": []})
    if member not in plain["members"]:
        plain["members"].append(member)
json.dump(policy, sys.stdout)' "$policy" >"$changed"
  gcloud projects set-iam-policy "$project" "$changed"
}
changed=$(mktemp)
trap 'rm -f "$changed"' EXIT
again grant
running=()
for name in functions events scheduler build; do # the deployment may use these accounts, and no other
  again gcloud iam service-accounts add-iam-policy-binding "$(email "aurora-$name")" \
    --member="serviceAccount:$(email aurora-deploy)" --role=roles/iam.serviceAccountUser &
  running+=($!)
done
for each in "${running[@]}"; do wait "$each"; done

echo "The Gemini key, as a secret that only the functions may read"
keys=$(gcloud secrets versions list gemini-api-key --filter=state=ENABLED --format='value(name)' 2>/dev/null) || keys=none
case $keys in
none) key | gcloud secrets create gemini-api-key --replication-policy=automatic --data-file=- ;;
"") key | gcloud secrets versions add gemini-api-key --data-file=- ;;
esac
again gcloud secrets add-iam-policy-binding gemini-api-key --role=roles/secretmanager.secretAccessor \
  --member="serviceAccount:$(email aurora-functions)"
