"""Firebase and its sign-in: added to a project, switched on, and used by one person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.servers.gemini import error
from tests.servers.google_cloud.standard import Handler
from tests.servers.scripted import Reply

if TYPE_CHECKING:
    from tests.servers.google_cloud.cloud import Call, GoogleCloud

JSON = dict[str, Any]
KEY = "web-key"


def _add_firebase(cloud: GoogleCloud, call: Call) -> JSON:
    cloud.resources[call.resource] = {"projectId": cloud.project}
    return {"name": "operations/add", "done": True}


def _web_app(cloud: GoogleCloud, call: Call) -> JSON:
    name = f"{call.resource}/1:web"
    cloud.resources[name] = {**call.body, "name": name}
    return {"name": "operations/app", "done": True}


def _web_config(_cloud: GoogleCloud, _call: Call) -> JSON:
    return {"apiKey": KEY}


def _switched_on(cloud: GoogleCloud, _call: Call) -> JSON:
    cloud.resources[f"projects/{cloud.project}/config"] = {}
    return {}


def _sign_up(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    email = cloud.resources.get(f"projects/{cloud.project}/config", {}).get("signIn", {}).get("email", {})
    if call.query.get("key") != KEY or not email.get("enabled"):
        return error(400, "INVALID_ARGUMENT", message="OPERATION_NOT_ALLOWED")
    return {"idToken": cloud.id_token, "email": call.body["email"]}


def _leave(_cloud: GoogleCloud, _call: Call) -> JSON:
    return {}


HANDLERS: dict[str, Handler] = {
    "firebase.projects.addFirebase": _add_firebase,
    "firebase.projects.webApps.create": _web_app,
    "firebase.projects.webApps.getConfig": _web_config,
    "identitytoolkit.projects.identityPlatform.initializeAuth": _switched_on,
    "identitytoolkit.accounts.signUp": _sign_up,
    "identitytoolkit.accounts.delete": _leave,
}
