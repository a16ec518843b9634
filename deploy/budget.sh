#!/usr/bin/env bash
# A monthly budget for a project, which mails the administrators of its billing account. Safe to run again.
# Usage: deploy/budget.sh PROJECT AMOUNT
set -euo pipefail
project=${1:?project id} amount=${2:?amount in the billing account\'s currency}
export CLOUDSDK_CORE_PROJECT=$project CLOUDSDK_CORE_DISABLE_PROMPTS=1 CLOUDSDK_BILLING_QUOTA_PROJECT=$project
gcloud services enable billingbudgets.googleapis.com cloudbilling.googleapis.com
account=$(gcloud billing projects describe "$project" --format='value(billingAccountName.basename())')
[ -n "$account" ] || { echo "$project has no billing account" >&2 && exit 1; }
name="Aurora Notes $project"
there=$(gcloud billing budgets list --billing-account="$account" --filter="displayName='$name'" --format='value(name)')
[ -z "$there" ] || { echo "  The budget \"$name\" is there; change it in the console." && exit 0; }
gcloud billing budgets create --billing-account="$account" --display-name="$name" --budget-amount="$amount" \
  --filter-projects="projects/$project" --threshold-rule=percent=0.5 --threshold-rule=percent=0.9 --threshold-rule=percent=1.0
