"""Ends deploy/up.sh: a user made for this saves a note, asks a question, and is removed with all data.

    python3 deploy/first_question.py PROJECT REGION PREFIX DATABASE APP_CHECK

How people sign up and in is never changed. Adds Firebase and a web app where there are none.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from cloud import Google, Refused, call, located, pause, tell

USER = "aurora-first-question"
"""Id of the user, at every run: data that an earlier one left behind is removed too."""
SIGNER = "aurora-scheduler"
"""Account that signs the user's token; it may do nothing else than call reconcile."""
SIGNING_ROLE = "roles/iam.serviceAccountTokenCreator"
AUDIENCE = (
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
)
TERMS = "open https://console.firebase.google.com once, accept its terms, add Firebase to the project there, run this again"
NOTE = {
    "title": "First note",
    "text": "We keep our notes in Firestore. The functions run on Cloud Run.",
}
QUESTION = "Where do we keep our notes?"
INDEX_SECONDS = 180
PREPARED = "prepared"
"""Value in the place of APP_CHECK: only /health is called, since a pipeline's account makes no users."""


def web_key(google: Google) -> str:
    """Returns the key with which pages of the project sign people in.

    Adds Firebase and a web app if need be.
    """
    project = f"firebase/v1beta1/{google.name}"
    if google.found(project) is None:
        try:
            operation = google("POST", f"{project}:addFirebase", {})
            google.done("firebase/v1beta1", operation)
        except Refused as refused:
            sys.exit(f"{refused}\n{TERMS}")

    apps = google("GET", f"{project}/webApps").get("apps")
    if not apps:
        operation = google(
            "POST",
            f"{project}/webApps",
            {"displayName": "Aurora Notes"},
        )
        google.done("firebase/v1beta1", operation)
        apps = google("GET", f"{project}/webApps")["apps"]

    app = apps[0]["name"]
    return str(google("GET", f"firebase/v1beta1/{app}/config")["apiKey"])


@contextmanager
def temporary_user(google: Google, prefix: str, key: str) -> Iterator[str]:
    """Yields the ID token of a user made for this, and removes the user.

    A custom token signs the user in, whatever methods of sign-in are on.
    """
    accounts = f"identitytoolkit/v1/{google.name}/accounts"
    tenant = f"identitytoolkit/v2/{google.name}"
    if google.found(f"{tenant}/config") is None:
        # It begins with every method of sign-in off.
        google(
            "POST",
            f"{tenant}/identityPlatform:initializeAuth",
            {},
        )

    try:
        google("POST", accounts, {"localId": USER})
    except Refused as refused:
        if "DUPLICATE_LOCAL_ID" not in refused.said:
            raise

    try:
        token = custom_token(google, prefix)
        url = located(f"identitytoolkit/v1/accounts:signInWithCustomToken?key={key}")
        session = call(
            "POST",
            url,
            {"token": token, "returnSecureToken": True},
        )
        yield str(session["idToken"])
    finally:
        google("POST", f"{accounts}:delete", {"localId": USER})


def custom_token(google: Google, prefix: str) -> str:
    """Returns a custom token for the user, signed by an account that may do nothing but call reconcile.

    An owner may let themselves sign; that is taken back afterwards.
    """
    email = f"{prefix}{SIGNER}@{google.project}.iam.gserviceaccount.com"
    now = int(time.time())
    claims = {
        "iss": email,
        "sub": email,
        "aud": AUDIENCE,
        "iat": now,
        "exp": now + 600,
        "uid": USER,
    }
    token = signed(google, email, claims)
    if token:
        return token
    account = signed_in_account()
    kind = "serviceAccount" if account.endswith(".gserviceaccount.com") else "user"
    policy = f"iam/v1/{google.name}/serviceAccounts/{email}"
    google.grant(policy, SIGNING_ROLE, f"{kind}:{account}")
    try:
        for seconds in (2, 4, 8, 16, 32, 60):
            token = signed(google, email, claims)
            if token:
                return token
            tell(f"  {account} may not sign yet; wait, next try in {seconds} s")
            pause(seconds)
        reply = google(
            "POST",
            signing_address(email),
            {"payload": json.dumps(claims)},
        )
        return str(reply["signedJwt"])
    finally:
        google.grant(
            policy,
            SIGNING_ROLE,
            f"{kind}:{account}",
            remove=True,
        )


def signed(google: Google, email: str, claims: Mapping[str, object]) -> str:
    """Returns the claims as a token that the account signed; empty if we may not let it sign."""
    try:
        reply = google(
            "POST",
            signing_address(email),
            {"payload": json.dumps(claims)},
        )
    except Refused as refused:
        if refused.status == 403:
            return ""
        raise

    return str(reply["signedJwt"])


def signing_address(email: str) -> str:
    return f"iamcredentials/v1/projects/-/serviceAccounts/{email}:signJwt"


def signed_in_account() -> str:
    """Returns the address of the account that gcloud is signed in as."""
    done = subprocess.run(
        ["gcloud", "config", "get", "account"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.strip()


def ask(chat: str, api: str, token: str) -> None:
    """Saves a note, asks about it and prints the answer. Erases all data, also after a failure."""
    bearer = {"Authorization": f"Bearer {token}"}
    try:
        call("PUT", f"{api}/notes/first", NOTE, bearer)
        await_index(f"{api}/notes/first:indexStatus", bearer)
        answer = call("POST", chat, {"message": QUESTION}, bearer)
        print(f"\n   {QUESTION}\n   {answer['answer']}")
        for citation in answer["citations"]:
            print(f"   {citation['cid']}: {citation['quote']}")
    finally:
        call(
            "DELETE",
            f"{api}/me",
            {"confirm": "erase everything"},
            bearer,
        )


def await_index(address: str, headers: Mapping[str, str]) -> None:
    """Returns when the note is indexed. Raises SystemExit if it is not after INDEX_SECONDS."""
    status = ""
    for _ in range(INDEX_SECONDS // 2):
        status = call("GET", address, headers=headers)["status"]
        if status == "indexed":
            return
        pause(2)
    sys.exit(f"the note is still {status} after {INDEX_SECONDS} s: see the log of on-note-write")


def ask_health(*addresses: str) -> None:
    """Raises Refused unless each function answers."""
    for address in addresses:
        for seconds in (2, 4, 8, 16, 32, 0):  # who may call a function is known after a moment
            try:
                call("GET", f"{address}/health")
                break
            except Refused as refused:
                if refused.status not in (401, 403) or not seconds:
                    raise
            pause(seconds)


def main(
    project: str,
    region: str,
    prefix: str,
    database: str,
    app_check: str,
) -> None:
    google = Google(project)
    functions = f"cloudfunctions/v2/{google.name}/locations/{region}/functions"
    chat = str(google("GET", f"{functions}/{prefix}chat")["url"])
    api = str(google("GET", f"{functions}/{prefix}api")["url"])
    if app_check == PREPARED:  # whoever deploys may not add Firebase, or make users
        ask_health(chat, api)
        print(f"\n   Both answer /health.\n  questions        {chat}\n  all else         {api}")
        return

    key = web_key(google)
    if app_check == "enforce":
        ask_health(chat, api)
        print(
            "\n   Both answer /health. APP_CHECK=enforce lets only attested apps ask, so the question is yours to ask.",
        )
    else:
        with temporary_user(google, prefix, key) as token:
            ask(chat, api, token)

    page = {
        "apiBase": chat.rpartition("/")[0],
        "functionPrefix": prefix,
        "firebase": {"apiKey": key},
    }
    print(
        f"\nIt runs. For your apps (docs/integrate.md):\n"
        f"  questions        {chat}\n  all else         {api}\n"
        f"  region           {region}\n  function         {prefix}chat\n  database         {database}\n"
        f"  web/config.json  {json.dumps(page)}\n"
        f"Who may sign up is yours to choose: https://console.firebase.google.com/project/{project}/authentication/providers",
    )


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that whoever asked is removed
    try:
        main(*sys.argv[1:6])
    except Refused as refused:
        sys.exit(str(refused))
