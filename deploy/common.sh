# shellcheck shell=bash disable=SC2034,SC2154
# What up.sh and setup.sh share. `project`, `prefix`, `region` and `key` are set before.
export CLOUDSDK_CORE_PROJECT=$project CLOUDSDK_CORE_DISABLE_PROMPTS=1

label=product=aurora-notes # of everything that is made; deploy/down.sh deletes nothing without it
bucket=$project-${prefix}aurora-build
bindings=() # "ROLE MEMBER", all that is granted in the project
secret='' secrets=--clear-secrets
if [ -n "${key:-}" ]; then
  secret=$prefix$(tr 'A-Z_' 'a-z-' <<<"$key")
  secrets=--set-secrets=$key=$secret:latest
fi
email() { echo "$prefix$1@$project.iam.gserviceaccount.com"; }
while read -r role account; do # plan.py reads them from resources.json
  [ -z "$role" ] || bindings+=("$role serviceAccount:$(email "$account")")
done <<<"${granted:-}"

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
patiently() { # a pattern, a command: tried again while it fails with words that waiting mends
  local expected=$1 said pause
  shift
  for pause in 2 4 8 16 32 60 120 0; do
    said=$("$@" 2>&1) && return
    grep -qE "$expected" <<<"$said" && [ $pause != 0 ] || break
    echo "  What was just made is not known everywhere at Google yet; trying again in $pause s" >&2
    sleep "${DEPLOY_PAUSE:-$pause}"
  done
  echo "$said" >&2
  return 1
}
again() { patiently 'does not exist|concurrent policy changes|not found|NOT_FOUND' "$@"; }
keep_key() { # as a secret: the first, or another one; without it what is kept stays
  local given=${!key:-} kept
  given=${given//[[:space:]]/} # what copying may bring along
  kept=$(gcloud secrets versions list "$secret" --filter=state=ENABLED --format='value(name)' 2>/dev/null) || kept=none
  if [ -z "$given" ]; then
    [[ -n $kept && $kept != none ]] || { echo "$key: expected your key; export it, or run this on a terminal to be asked" >&2 && return 1; }
  elif [ "$kept" = none ]; then
    printf %s "$given" | gcloud secrets create "$secret" --labels="$label" --replication-policy=user-managed \
      --locations="$region" --data-file=-
  elif [ -z "$kept" ] || [ "$given" != "$(gcloud secrets versions access latest --secret="$secret")" ]; then
    printf %s "$given" | gcloud secrets versions add "$secret" --data-file=-
  fi
}
claim_database() { # in its document auroraOwner/deployment
  local claimed
  echo "- Database $database says that this deployment writes its index (auroraOwner/deployment)."
  [ -z "${strangers:-}" ] || echo "  It holds $strangers, not ours."
  case $claim in shared*) echo "  deploy/down.sh will never delete it." ;; esac
  read -ra claimed <<<"$claim"
  again python3 deploy/owner.py "$project" "$database" "$prefix" "${claimed[@]}"
}
