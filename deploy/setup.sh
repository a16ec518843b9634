# shellcheck shell=bash disable=SC2154
# The first step of up.sh: the services, the database, service accounts with the least roles, the key, the budget.
echo "- Services: switching them on costs nothing."
read -ra services <<<"$apis"
gcloud services enable "${services[@]/%/.googleapis.com}"

if [ -n "$new_database" ]; then
  echo "- Database $database in $location, protected from deletion; you can go back to any minute of the last 7 days."
  echo "  It is billed by what is read, written and kept; the versions of these days count, too."
  gcloud firestore databases create --database="$database" --location="$location" --delete-protection --enable-pitr >/dev/null
fi
if [ -n "$takes_over" ]; then
  echo "- Database $database stays the other deployment's until the functions of this one answer."
elif [ -n "$claim" ]; then
  claim_database
fi
if [ "$backups" = daily ]; then
  echo "- A backup a day, kept for a week: billed by its size."
  [ -n "$(gcloud firestore backups schedules list --database="$database" --format='value(name)')" ] ||
    gcloud firestore backups schedules create --database="$database" --recurrence=daily --retention=7d >/dev/null
fi

echo "- Service accounts, each with the roles it needs: free."
there=$(gcloud iam service-accounts list --format='value(email)')
for name in $accounts; do
  grep -qxF "$(email "$name")" <<<"$there" ||
    gcloud iam service-accounts create "$prefix$name" --display-name="$prefix$name" --description="$label"
done
number=$(gcloud projects describe "$project" --format='value(projectNumber)')
gcloud beta services identity create --service=eventarc.googleapis.com >/dev/null # triggers act as it
added=("${bindings[@]}")
bindings+=("roles/eventarc.serviceAgent serviceAccount:service-$number@gcp-sa-eventarc.iam.gserviceaccount.com")
again change_policy add
bindings=("${added[@]}")
running=()
for name in $accounts; do # the deployment may use the other ones, and nothing else
  [ "$name" != aurora-deploy ] || continue
  again gcloud iam service-accounts add-iam-policy-binding "$(email "$name")" \
    --member="serviceAccount:$(email aurora-deploy)" --role=roles/iam.serviceAccountUser >/dev/null &
  running+=($!)
done
for each in "${running[@]}"; do wait "$each"; done

if [ -n "$key" ]; then
  echo "- $key as a secret in $region, which only the functions may read: free up to six versions."
  keep_key
  again gcloud secrets add-iam-policy-binding "$secret" --role=roles/secretmanager.secretAccessor \
    --member="serviceAccount:$(email aurora-functions)" >/dev/null
fi
echo "- A bucket in $region for what is built: some megabytes."
if ! gcloud storage buckets describe "gs://$bucket" >/dev/null 2>&1; then
  gcloud storage buckets create "gs://$bucket" --location="$region" --uniform-bucket-level-access --public-access-prevention
  gcloud storage buckets update "gs://$bucket" --update-labels="$label"
fi

if [ "$budget" = 0 ]; then
  echo "- No budget is made. One that is there stays as it is, and goes on mailing: delete it in the console, under Billing,"
  echo "  Budgets & alerts."
elif [ -n "$budget" ]; then
  echo "- A budget of $budget a month; mail to the billing account's administrators at 50, 90 and 100%. It stops nothing."
  python3 deploy/budget.py "$project" "$budget" || echo "  No budget was made; everything else goes on."
fi
