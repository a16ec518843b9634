"""The end of deploy/up.sh: a user made for this saves a note, asks a question, and is removed with all it had.

    python3 deploy/first_question.py PROJECT REGION PREFIX DATABASE APP_CHECK

How people sign up and in is never changed. Adds Firebase and a web app where there are none.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from cloud import Google, Refused, call, located, pause, tell

USER = "aurora-first-question"
"""The same at every run: whatever an earlier one left behind is removed with it."""
SIGNER, CREATOR = "aurora-scheduler", "roles/iam.serviceAccountTokenCreator"
AUDIENCE = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
TERMS = (
    "open https://console.firebase.google.com once, accept its terms, add Firebase to the project there, run this again"
)
NOTE = {"title": "First note", "text": "We keep our notes in Firestore. The functions run on Cloud Run."}
QUESTION = "Where do we keep our notes?"
INDEX_SECONDS = 180


def web_key(google: Google) -> str:
    """The key with which pages of the project sign people in; Firebase and a web app are added if need be."""
    project = f"firebase/v1beta1/{google.name}"
    if google.found(project) is None:
        try:
            google.done("firebase/v1beta1", google("POST", f"{project}:addFirebase", {}))
        except Refused as refused:
            sys.exit(f"{refused}\n{TERMS}")
    if not google("GET", f"{project}/webApps").get("apps"):
        google.done("firebase/v1beta1", google("POST", f"{project}/webApps", {"displayName": "Aurora Notes"}))
    app = google("GET", f"{project}/webApps")["apps"][0]
    return str(google("GET", f"firebase/v1beta1/{app['name']}/config")["apiKey"])


@contextmanager
def somebody(google: Google, prefix: str, key: str) -> Iterator[str]:
    """The ID token of a user made for this. A custom token signs them in, whatever methods of sign-in are on."""
    accounts = f"identitytoolkit/v1/{google.name}/accounts"
    if google.found(f"identitytoolkit/v2/{google.name}/config") is None:  # with every method of sign-in off
        google("POST", f"identitytoolkit/v2/{google.name}/identityPlatform:initializeAuth", {})
    try:
        google("POST", accounts, {"localId": USER})
    except Refused as refused:
        if "DUPLICATE_LOCAL_ID" not in refused.said:
            raise
    try:
        signed = {"token": signed_token(google, prefix), "returnSecureToken": True}
        url = located(f"identitytoolkit/v1/accounts:signInWithCustomToken?key={key}")
        yield str(call("POST", url, signed)["idToken"])
    finally:
        google("POST", f"{accounts}:delete", {"localId": USER})


def signed_token(google: Google, prefix: str) -> str:
    """A custom token, signed by an account that may nothing but call reconcile.

    An owner may let themselves sign; that is taken back afterwards.
    """
    email = f"{prefix}{SIGNER}@{google.project}.iam.gserviceaccount.com"
    now = int(time.time())
    claims = {"iss": email, "sub": email, "aud": AUDIENCE, "iat": now, "exp": now + 600, "uid": USER}
    sign = f"iamcredentials/v1/projects/-/serviceAccounts/{email}:signJwt"
    asked = {"payload": json.dumps(claims)}
    try:
        return str(google("POST", sign, asked)["signedJwt"])
    except Refused as refused:
        if refused.status != 403:
            raise
    said = subprocess.run(["gcloud", "config", "get", "account"], check=True, stdout=subprocess.PIPE, text=True)
    account = said.stdout.strip()
    member = f"{'serviceAccount' if account.endswith('.gserviceaccount.com') else 'user'}:{account}"
    policy = f"iam/v1/{google.name}/serviceAccounts/{email}"
    google.grant(policy, CREATOR, member)
    try:
        for seconds in (2, 4, 8, 16, 32, 60):
            try:
                return str(google("POST", sign, asked)["signedJwt"])
            except Refused as refused:
                if refused.status != 403:
                    raise
            tell(f"  {account} may not sign yet; wait, next try in {seconds} s")
            pause(seconds)
        return str(google("POST", sign, asked)["signedJwt"])
    finally:
        google.grant(policy, CREATOR, member, remove=True)


def ask(chat: str, api: str, token: str) -> None:
    """Erases whatever was saved, also after a failure."""
    bearer = {"Authorization": f"Bearer {token}"}
    try:
        call("PUT", f"{api}/notes/first", NOTE, bearer)
        for _ in range(INDEX_SECONDS // 2):
            if (state := call("GET", f"{api}/notes/first:indexStatus", headers=bearer)["status"]) == "indexed":
                break
            pause(2)
        else:
            sys.exit(f"the note is still {state} after {INDEX_SECONDS} s: see the log of on-note-write")
        answer = call("POST", chat, {"message": QUESTION}, bearer)
        print(f"\n   {QUESTION}\n   {answer['answer']}")
        for each in answer["citations"]:
            print(f"   {each['cid']}: {each['quote']}")
    finally:
        call("DELETE", f"{api}/me", {"confirm": "erase everything"}, bearer)


def main(project: str, region: str, prefix: str, database: str, app_check: str) -> None:
    google = Google(project)
    functions = f"cloudfunctions/v2/{google.name}/locations/{region}/functions"
    chat, api = (str(google("GET", f"{functions}/{prefix}{name}")["url"]) for name in ("chat", "api"))
    key = web_key(google)
    if app_check == "enforce":
        for address in (chat, api):
            call("GET", f"{address}/health")
        print(
            "\n   Both answer /health. APP_CHECK=enforce lets only attested apps ask, so the question is yours to ask."
        )
    else:
        with somebody(google, prefix, key) as token:
            ask(chat, api, token)
    page = {"apiBase": chat.rpartition("/")[0], "functionPrefix": prefix, "firebase": {"apiKey": key}}
    print(
        f"\nIt runs. For your apps (docs/integrate.md):\n"
        f"  questions        {chat}\n  all else         {api}\n"
        f"  region           {region}\n  function         {prefix}chat\n  database         {database}\n"
        f"  web/config.json  {json.dumps(page)}\n"
        f"Who may sign up is yours to choose: https://console.firebase.google.com/project/{project}/authentication/providers"
    )


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that whoever asked is removed
    try:
        main(*sys.argv[1:6])
    except Refused as refused:
        sys.exit(str(refused))
