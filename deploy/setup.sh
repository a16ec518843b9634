#!/usr/bin/env bash
# Once a project, before the first `gcloud builds submit`: services, service accounts with the least roles, the key.
# Safe to run again. Usage: GEMINI_API_KEY=... deploy/setup.sh PROJECT [REGION [DATABASE_LOCATION]]
set -euo pipefail
project=${1:?project id}
region=${2:-europe-west1}
database_location=${3:-eur3}

gcloud config set project "$project"
gcloud services enable cloudfunctions.googleapis.com run.googleapis.com eventarc.googleapis.com \
  cloudbuild.googleapis.com artifactregistry.googleapis.com firestore.googleapis.com firebaserules.googleapis.com \
  cloudscheduler.googleapis.com secretmanager.googleapis.com

gcloud firestore databases describe --database='(default)' >/dev/null 2>&1 ||
  gcloud firestore databases create --location="$database_location"

account() { # name, roles...
  local name=$1 email="$1@$project.iam.gserviceaccount.com"
  shift
  gcloud iam service-accounts describe "$email" >/dev/null 2>&1 || gcloud iam service-accounts create "$name"
  for role in "$@"; do
    gcloud projects add-iam-policy-binding "$project" --member="serviceAccount:$email" --role="$role" \
      --condition=None --quiet >/dev/null
  done
}
account aurora-chat roles/datastore.user roles/secretmanager.secretAccessor
account aurora-api roles/datastore.user roles/secretmanager.secretAccessor
account aurora-index roles/datastore.user roles/secretmanager.secretAccessor
account aurora-events roles/eventarc.eventReceiver roles/run.invoker
account aurora-scheduler roles/run.invoker

number=$(gcloud projects describe "$project" --format='value(projectNumber)')
builder="serviceAccount:$number-compute@developer.gserviceaccount.com"
for role in roles/cloudbuild.builds.builder roles/cloudfunctions.admin roles/run.admin roles/iam.serviceAccountUser \
  roles/firebaserules.admin roles/datastore.indexAdmin roles/cloudscheduler.admin roles/serviceusage.serviceUsageConsumer; do
  gcloud projects add-iam-policy-binding "$project" --member="$builder" --role="$role" --condition=None --quiet >/dev/null
done

gcloud secrets describe gemini-api-key >/dev/null 2>&1 ||
  printf %s "${GEMINI_API_KEY:?set it to your Gemini API key}" | gcloud secrets create gemini-api-key --data-file=-

echo "Ready. Now: gcloud builds submit --config=cloudbuild.yaml --substitutions=_REGION=$region,_DATABASE_LOCATION=$database_location"
