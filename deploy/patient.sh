#!/usr/bin/env bash
# gcloud, tried again while Eventarc does not know yet what its service agent may do: minutes, in a project's first trigger.
# Usage: deploy/patient.sh ARGUMENTS
for pause in 15 30 60 120 180 180 0; do
  said=$(gcloud "$@" 2>&1) && echo "$said" && exit
  [[ $said == *"Eventarc Service Agent"* && $pause != 0 ]] || break
  echo "Eventarc's service agent is not known everywhere yet; wait, next try in $pause s"
  sleep "${DEPLOY_PAUSE:-$pause}"
done
echo "$said" >&2
exit 1
