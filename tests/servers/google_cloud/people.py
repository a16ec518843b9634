"""Firebase and its sign-in: added to a project, and used by people whom an administrator makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.servers.gemini import error
from tests.servers.google_cloud.standard import Handler
from tests.servers.scripted import Reply

if TYPE_CHECKING:
    from tests.servers.google_cloud.cloud import Call, GoogleCloud

JSON = dict[str, Any]
KEY = "web-key"
AUDIENCE = (
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
)


def _add_firebase(cloud: GoogleCloud, call: Call) -> JSON:
    cloud.resources[call.resource] = {"projectId": cloud.project}
    return {"name": "operations/add", "done": True}


def _web_app(cloud: GoogleCloud, call: Call) -> JSON:
    name = f"{call.resource}/1:web"
    cloud.resources[name] = {**call.body, "name": name}
    return {"name": "operations/app", "done": True}


def _web_config(_cloud: GoogleCloud, _call: Call) -> JSON:
    return {"apiKey": KEY}


def _initialized(cloud: GoogleCloud, _call: Call) -> JSON:
    """With every method of sign-in off."""
    cloud.resources[f"projects/{cloud.project}/config"] = {}
    return {}


def _person(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    if f"projects/{cloud.project}/config" not in cloud.resources:
        return error(400, "INVALID_ARGUMENT", message="CONFIGURATION_NOT_FOUND")
    name = f"{call.resource}/{call.body['localId']}"
    if name in cloud.resources:
        return error(400, "INVALID_ARGUMENT", message="DUPLICATE_LOCAL_ID")
    cloud.resources[name] = dict(call.body)
    return {"localId": call.body["localId"]}


def _people(cloud: GoogleCloud, call: Call) -> JSON:
    """A page of one person each, so that whoever asks must go on."""
    place = f"projects/{cloud.project}/accounts/"
    names = sorted(name for name in cloud.resources if name.startswith(place))
    start = int(call.query.get("nextPageToken") or 0)
    page = [cloud.resources[name] for name in names[start : start + 1]]
    next_page = {"nextPageToken": str(start + 1)} if start + 1 < len(names) else {}
    return {"users": page, **next_page}


def _leave(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Delete the person, whether or not there is one."""
    cloud.resources.pop(f"{call.resource}/{call.body['localId']}", None)
    return {}


def _signed(_cloud: GoogleCloud, call: Call) -> JSON:
    return {"keyId": call.resource.rpartition("/")[2], "signedJwt": call.body["payload"]}


def _sign_in(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Whatever methods of sign-in are on, but only somebody who is there where sign-up is off."""
    claims = json.loads(call.body["token"])
    is_valid = (
        cloud.knows(claims["iss"]) and claims["iss"] == claims["sub"] and claims["aud"] == AUDIENCE
    )
    if (
        call.query.get("key") != KEY
        or not is_valid
        or not 0 < claims["exp"] - claims["iat"] <= 3600
    ):
        return error(400, "INVALID_ARGUMENT", message="INVALID_CUSTOM_TOKEN")
    if f"projects/{cloud.project}/accounts/{claims['uid']}" not in cloud.resources:
        return error(400, "INVALID_ARGUMENT", message="ADMIN_ONLY_OPERATION")
    return {"idToken": cloud.id_token}


HANDLERS: dict[str, Handler] = {
    "firebase.projects.addFirebase": _add_firebase,
    "firebase.projects.webApps.create": _web_app,
    "firebase.projects.webApps.getConfig": _web_config,
    "iamcredentials.projects.serviceAccounts.signJwt": _signed,
    "identitytoolkit.accounts.signInWithCustomToken": _sign_in,
    "identitytoolkit.projects.accounts": _person,
    "identitytoolkit.projects.accounts.batchGet": _people,
    "identitytoolkit.projects.accounts.delete": _leave,
    "identitytoolkit.projects.identityPlatform.initializeAuth": _initialized,
}
