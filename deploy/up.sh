#!/usr/bin/env bash
# Everything, from a project with billing to an answer. Safe to run again: after a failure, for a new version, for other
# settings. It looks first (plan.py): what somebody else made is listed, and nothing is changed unless it is named.
# Usage: deploy/up.sh PROJECT [--region REGION] [--location LOCATION] [--database NAME] [--set NAME=VALUE]... (--help: all)
set -euo pipefail
cd "$(dirname "$0")/.."
step="checking what is needed"
stopped() {
  [ $? = 0 ] || printf '\nStopped while %s. Mend what the lines above name, then run the same command again.\n' "$step" >&2
}
trap stopped EXIT
for tool in gcloud python3; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2 && exit 1; }
done
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed" >&2 && exit 1; }
case " $* " in *" --help "* | *" -h "*) exec python3 deploy/plan.py --help ;; esac

step="looking at what is there; nothing was changed"
planned=$(python3 deploy/plan.py "$@")
location='' database='' source='' release='' replaces='' functions='' settings='' key=''
newest='' claim='' takes_over='' moves='' warm='' leaving='' retired='' invokers='' app_check='' apis='' accounts='' granted='' prepared=''
eval "$planned" # these, and project, region, prefix, …
# shellcheck source=deploy/common.sh
source deploy/common.sh
if [ -z "$prepared" ] && [ -n "$key" ] && [ -t 0 ] && [ -z "${!key:-}" ] && ! gcloud secrets describe "$secret" >/dev/null 2>&1; then
  read -rsp "$key (not shown, kept as a secret): " typed && echo
  export "$key=$typed"
fi

if [ -n "$prepared" ]; then
  echo "1. $project is set up already: notes in $location, database $database, functions in $region"
else
  echo "1. Setting up $project: notes in $location, database $database, functions in $region"
  step="setting up the project"
  source deploy/setup.sh
fi

echo "2. Building and deploying to $region: ten to twenty minutes, most of them for the first indexes."
echo "   Release $release; the source has hash $source. Each function has both as labels, each revision in its environment."
echo "   Costs: a few build minutes and some megabytes of images; what runs is billed by use."
[ "$warm" = 0 ] || echo "   Instances of chat that are kept waiting: $warm, about 9 USD a month each (docs/scale.md)."
step="deploying; the build named above says why. Functions that are deployed already stay as new as they are, the rules as
old as they were: deploy/rollback.sh $project brings every function back to the release before"
named="_RELEASE=$release;_REPLACES=$replaces;_NEWEST=$newest;_FUNCTIONS=$functions;_MOVED=$moves"
given="_SECRETS=$secrets;_WARM=$warm;_SETTINGS=$settings"
submit() {
  gcloud builds submit --config=cloudbuild.yaml --ignore-file=deploy/build.gcloudignore \
    --gcs-source-staging-dir="gs://$bucket/source" \
    --service-account="projects/$project/serviceAccounts/$(email aurora-deploy)" \
    --substitutions="^;^_REGION=$region;_DATABASE=$database;_DATABASE_LOCATION=$location;_PREFIX=$prefix;_SOURCE=$source;$named;$given" . 2>&1 |
    tee /dev/stderr
}
patiently 'FETCH_SOURCE_FAILED|does not have .*access|[Pp]ermission .* denied' submit

step="comparing what answers with what was deployed"
python3 deploy/releases.py "$project" "$prefix" "$release"

if [ -n "$takes_over" ]; then # not before: had the build failed, nobody would index
  step="taking the database over"
  claim_database
fi

step="letting callers in"
if [ -n "$prepared" ]; then
  echo "3. Letting callers in, and asking both functions for their health."
  python3 deploy/invokers.py "$project" "$region" "$prefix" "$invokers"
  step="asking for their health"
  python3 deploy/first_question.py "$project" "$region" "$prefix" "$database" prepared
else
  echo "3. Letting callers in, and a first question: a fraction of a cent for the model."
  python3 deploy/invokers.py "$project" "$region" "$prefix" "$invokers"
  step="asking the first question"
  python3 deploy/first_question.py "$project" "$region" "$prefix" "$database" "$app_check"
fi

for name in $leaving; do
  echo "   Function $name is no part of this release any more. It stays as it is until the next run, so that"
  echo "   deploy/rollback.sh $project can go back."
done
step="deleting functions that neither this release nor the one before has"
for name in $retired; do
  echo "   Function $name is no part of the product any more, and is deleted."
  gcloud functions delete "$name" --gen2 --region="$region" --quiet
done
