#!/usr/bin/env bash
# Everything, from an empty project with billing to an answer. Safe to run again: after a failure, for a new version,
# for other settings. Wherever it stops, it says where, and the next run goes on from there.
# Usage: deploy/up.sh PROJECT [--region REGION] [--database-location LOCATION] [--set NAME=VALUE]...
# What is not given is asked for on a terminal. The Gemini key comes from GEMINI_API_KEY or is asked for.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() {
  sed -n '2,5s/^# //p' deploy/up.sh >&2
  exit 2
}
project=${1:-}
[[ $project =~ ^[a-z][a-z0-9-]{4,28}[a-z0-9]$ ]] || usage
shift
region=${REGION:-} location=${DATABASE_LOCATION:-} settings=STORE=firestore
while (($#)); do
  [ $# -ge 2 ] || usage
  case $1 in
  --region) region=$2 ;;
  --database-location) location=$2 ;;
  --set)
    [[ $2 =~ ^[A-Z][A-Z0-9_]*= && $2 != *[\;\|]* ]] || usage
    name=${2%%=*}
    [ "$name" != GEMINI_API_KEY ] || { echo "--set would log the key; write GEMINI_API_KEY=… before the command" >&2 && exit 2; }
    grep -qF "| \`$name\` |" docs/settings.md || { echo "--set: no setting $name; see docs/settings.md" >&2 && exit 2; }
    settings+="|$2"
    ;;
  *) usage ;;
  esac
  shift 2
done
export CLOUDSDK_CORE_PROJECT=$project CLOUDSDK_CORE_DISABLE_PROMPTS=1

step="checking what is needed"
stopped() {
  [ $? = 0 ] || printf '\nStopped while %s. Mend what the lines above name, then run the same command again.\n' "$step" >&2
}
trap stopped EXIT
for tool in gcloud python3; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2 && exit 1; }
done
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed" >&2 && exit 1; }

ask() { # question, default
  local answer=
  if [ -t 0 ]; then read -rp "$1 [$2]: " answer; fi
  echo "${answer:-$2}"
}
deployed=$(gcloud functions list --v2 --filter='name~/functions/chat$' --format='value(name.segment(3))' 2>/dev/null) ||
  deployed=
if [ "$settings" != STORE=firestore ]; then
  step="checking the settings"
  held={}
  [ -z "$deployed" ] || held=$(gcloud functions describe chat --gen2 --region="$deployed" --format=json)
  PYTHONPATH=. python3 deploy/check_settings.py "$project" "$settings" <<<"$held" || exit 2
fi
kept=$(gcloud firestore databases describe --database='(default)' --format='value(locationId)' 2>/dev/null) || kept=
location=${kept:-${location:-$(ask "Where the notes are kept, for good (eur3: Europe, nam5: America, or a region)" eur3)}}
case $location in eur3) near=europe-west1 ;; nam5) near=us-central1 ;; *) near=$location ;; esac
if [ -n "$deployed" ] && [ -n "$region" ] && [ "$region" != "$deployed" ]; then # every note would be indexed twice
  echo "The functions are in $deployed; deploy/down.sh $project takes them away, then they can go to $region." >&2 && exit 1
fi
region=${region:-${deployed:-$(ask "Region of the functions, near the notes" "$near")}}
if [ -t 0 ] && [ -z "${GEMINI_API_KEY:-}" ] && ! gcloud secrets describe gemini-api-key >/dev/null 2>&1; then
  read -rsp "Gemini API key (aistudio.google.com makes one): " GEMINI_API_KEY && echo
  export GEMINI_API_KEY
fi

echo "1. Setting up $project, notes in $location"
step="setting up the project"
deploy/setup.sh "$project" "$location"

echo "2. Building and deploying to $region: ten to twenty minutes, most of them for the first indexes."
echo "   Costs: a few build minutes and some megabytes of images; what runs is billed by use, and nothing keeps running."
step="deploying; the lines above name the build, whose steps say what went wrong"
gcloud builds submit --config=cloudbuild.yaml --ignore-file=deploy/build.gcloudignore \
  --substitutions="^;^_REGION=$region;_DATABASE_LOCATION=$location;_SETTINGS=$settings" .

echo "3. Signing in, and a first question: a fraction of a cent for the model; sign-in is free for small numbers of people."
step="asking the first question"
address() { gcloud functions describe "$1" --gen2 --region="$region" --format='value(url)'; }
python3 deploy/first_question.py "$project" "$(address chat)" "$(address api)"
