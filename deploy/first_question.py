"""The end of deploy/up.sh: people can sign in with Firebase, and somebody made for this asks a question and is erased.

    python3 deploy/first_question.py PROJECT CHAT_ADDRESS API_ADDRESS

Adds Firebase, a web app and sign-in by e-mail where they are missing. Needs gcloud and Python 3.8, nothing else.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

FIREBASE = os.environ.get("FIREBASE_API_URL", "https://firebase.googleapis.com") + "/v1beta1"
IDENTITY = os.environ.get("FIREBASE_IDENTITY_URL", "https://identitytoolkit.googleapis.com")
TERMS = (
    "open https://console.firebase.google.com once, accept its terms, add Firebase to the project there, run this again"
)
NOTE = {"title": "First note", "text": "We keep our notes in Firestore. The functions run on Cloud Run."}
QUESTION = "Where do we keep our notes?"
INDEX_SECONDS = 180


class Refused(Exception):
    """A status that is no success, with what the server says."""

    def __init__(self, status: int, url: str, said: str) -> None:
        self.status = status
        super().__init__(f"{url.partition('?')[0]}: {status} {said}")


def call(method: str, url: str, body: object = None, token: str = "", project: str = "") -> dict[str, Any]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}", "X-Goog-User-Project": project}
    data = None if body is None else json.dumps(body).encode()
    used = {name: value for name, value in headers.items() if value.strip() not in ("", "Bearer")}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, used, method=method), timeout=120) as reply:
            said: dict[str, Any] = json.loads(reply.read() or b"{}")
            return said
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(error.code, url, error.read().decode(errors="replace")[:500]) from None


class Google:
    """Google's APIs, as whoever gcloud is signed in as."""

    def __init__(self, project: str) -> None:
        self.project = project
        said = subprocess.run(["gcloud", "auth", "print-access-token"], check=True, stdout=subprocess.PIPE, text=True)
        self.token = said.stdout.strip()

    def __call__(self, method: str, url: str, body: object = None) -> dict[str, Any]:
        return call(method, url, body, self.token, self.project)

    def wait(self, operation: dict[str, Any]) -> None:
        while not operation.get("done"):
            time.sleep(2)
            operation = self("GET", f"{FIREBASE}/{operation['name']}")
        if "error" in operation:
            raise Refused(operation["error"].get("code", 500), operation["name"], operation["error"].get("message", ""))


def web_key(google: Google) -> str:
    """The key with which pages of the project sign people in; Firebase and a web app are added if need be."""
    project = f"{FIREBASE}/projects/{google.project}"
    try:
        google("GET", project)
    except Refused:
        try:
            google.wait(google("POST", f"{project}:addFirebase", {}))
        except Refused as refused:
            sys.exit(f"{refused}\n{TERMS}")
    if not google("GET", f"{project}/webApps").get("apps"):
        google.wait(google("POST", f"{project}/webApps", {"displayName": "Aurora Notes"}))
    app = google("GET", f"{project}/webApps")["apps"][0]
    return str(google("GET", f"{FIREBASE}/{app['name']}/config")["apiKey"])


def switch_on_sign_in(google: Google) -> None:
    """By e-mail and password, as the page does it. Other methods stay as they are."""
    project = f"{IDENTITY}/v2/projects/{google.project}"
    try:
        config = google("GET", f"{project}/config")
    except Refused:
        google("POST", f"{project}/identityPlatform:initializeAuth", {})
        config = {}
    if not config.get("signIn", {}).get("email", {}).get("enabled"):
        email = {"signIn": {"email": {"enabled": True, "passwordRequired": True}}}
        google("PATCH", f"{project}/config?updateMask=signIn.email", email)


def signed_up(key: str) -> str:
    """The ID token of somebody new. Sign-in that was just switched on takes some seconds to be there."""
    person = {"email": f"first-question-{secrets.token_hex(6)}@example.com", "password": secrets.token_hex(16)}
    asked = {**person, "returnSecureToken": True}
    for pause in (2, 4, 8, 16):
        try:
            return str(call("POST", f"{IDENTITY}/v1/accounts:signUp?key={key}", asked)["idToken"])
        except Refused:
            time.sleep(pause)
    return str(call("POST", f"{IDENTITY}/v1/accounts:signUp?key={key}", asked)["idToken"])


def ask(chat: str, api: str, key: str) -> None:
    token = signed_up(key)
    try:
        call("PUT", f"{api}/notes/first", NOTE, token)
        until = time.monotonic() + INDEX_SECONDS
        while (state := call("GET", f"{api}/notes/first:indexStatus", token=token)["status"]) != "indexed":
            if time.monotonic() > until:
                sys.exit(f"the note is still {state} after {INDEX_SECONDS} s: see the log of on-note-write")
            time.sleep(2)
        answer = call("POST", chat, {"message": QUESTION}, token)
        print(f"\n   {QUESTION}\n   {answer['answer']}")
        for each in answer["citations"]:
            print(f"   {each['cid']}: {each['quote']}")
    finally:
        call("DELETE", f"{api}/me", {"confirm": "erase everything"}, token)
        call("POST", f"{IDENTITY}/v1/accounts:delete?key={key}", {"idToken": token})


def main(project: str, chat: str, api: str) -> None:
    google = Google(project)
    key = web_key(google)
    switch_on_sign_in(google)
    ask(chat, api, key)
    page = {"apiBase": chat.rpartition("/")[0], "firebase": {"apiKey": key}}
    print(f"\nIt runs.\n  questions        {chat}\n  all else         {api}\n  web/config.json  {json.dumps(page)}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
