# shellcheck shell=bash disable=SC2034,SC2154
# What setup.sh and down.sh share; both set `project` first.
export CLOUDSDK_CORE_PROJECT=$project CLOUDSDK_CORE_DISABLE_PROMPTS=1

functions=(chat api on-note-write on-template-write reconcile)
accounts=(aurora-functions aurora-events aurora-scheduler aurora-build aurora-deploy)
bindings=() # "ROLE MEMBER", all that is granted in the project
email() { echo "$1@$project.iam.gserviceaccount.com"; }
grants() { # account, its roles
  local name=$1 role
  shift
  for role in "$@"; do bindings+=("$role serviceAccount:$(email "$name")"); done
}
grants aurora-functions roles/datastore.user
grants aurora-events roles/eventarc.eventReceiver roles/run.invoker
grants aurora-scheduler roles/run.invoker
grants aurora-build roles/cloudbuild.builds.builder # builds the functions' images, and runs what their packages bring
grants aurora-deploy roles/cloudfunctions.developer roles/run.admin roles/firebaserules.admin roles/datastore.indexAdmin \
  roles/cloudscheduler.admin roles/serviceusage.serviceUsageConsumer roles/logging.logWriter roles/storage.objectViewer

change_policy() { # add or remove: all bindings in one change of the project's policy
  local file
  file=$(mktemp)
  gcloud projects get-iam-policy "$project" --format=json |
    python3 "$(dirname "${BASH_SOURCE[0]}")/policy.py" "$1" "${bindings[@]}" >"$file" &&
    gcloud projects set-iam-policy "$project" "$file" >/dev/null
  local result=$?
  rm -f "$file"
  return $result
}
again() { # a command, until it works: Google knows a new account everywhere only after a while
  local said pause
  for pause in 2 4 8 16 32 0; do
    said=$("$@" 2>&1) && return
    sleep "$pause"
  done
  echo "$said" >&2
  return 1
}
keep_key() { # GEMINI_API_KEY as a secret: the first, or another one; without it what is kept stays
  local key=${GEMINI_API_KEY:-} kept
  key=${key//[[:space:]]/} # what copying may bring along
  kept=$(gcloud secrets versions list gemini-api-key --filter=state=ENABLED --format='value(name)' 2>/dev/null) || kept=none
  if [ -z "$key" ]; then
    [[ -n $kept && $kept != none ]] || { echo "GEMINI_API_KEY: set it to your Gemini API key" >&2 && return 1; }
  elif [ "$kept" = none ]; then
    printf %s "$key" | gcloud secrets create gemini-api-key --replication-policy=automatic --data-file=-
  elif [ -z "$kept" ] || [ "$key" != "$(gcloud secrets versions access latest --secret=gemini-api-key)" ]; then
    printf %s "$key" | gcloud secrets versions add gemini-api-key --data-file=-
  fi
}
