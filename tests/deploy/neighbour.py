"""An app that lives in a project already: what deploying beside it must leave as it is."""

from __future__ import annotations

import copy
from typing import Any

from tests.servers.google_cloud import GoogleCloud

JSON = dict[str, Any]
RULES = (
    "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { "
    "match /rooms/{all=**} { allow read: if request.auth != null; } } }"
)


def app(project: str) -> dict[str, JSON]:
    """Resources by name: of functions, rules, a secret and settings of fields whose places the product would take."""
    database = f"{project}/databases/(default)"
    everywhere = {
        "queryScope": "COLLECTION_GROUP",
        "fields": [{"fieldPath": "text", "order": "ASCENDING"}],
    }
    resources: dict[str, JSON] = {
        project: {"projectId": project.rpartition("/")[2]},
        f"{project}/webApps/1:shop": {"displayName": "Shop"},
        f"{project}/config": {
            "signIn": {"email": {"enabled": False}},
            "client": {"permissions": {"disabledUserSignup": True}},
        },
        f"{project}/locations/us-central1/functions/api": {
            "state": "ACTIVE",
            "environment": "GEN_2",
            "labels": {"team": "shop"},
            "buildConfig": {"entryPoint": "api"},
        },
        database: {"type": "FIRESTORE_NATIVE", "locationId": "nam5"},
        f"{database}/collectionGroups/notes/fields/text": {
            "indexConfig": {"indexes": [everywhere]}
        },
        f"{project}/rulesets/shop": {
            "source": {"files": [{"name": "firestore.rules", "content": RULES}]}
        },
        f"{project}/releases/cloud.firestore": {"rulesetName": f"{project}/rulesets/shop"},
        f"{project}/secrets/gemini-api-key": {"labels": {"team": "shop"}},
        f"{project}/secrets/gemini-api-key/versions/1": {"state": "ENABLED"},
    }
    return {name: {"name": name, **fields} for name, fields in resources.items()}


def move_in(cloud: GoogleCloud) -> None:
    """Sign-up is off, and the database has documents that are none of ours."""
    project = f"projects/{cloud.project}"
    cloud.enabled |= {
        "cloudfunctions",
        "firestore",
        "firebaserules",
        "iam",
        "identitytoolkit",
        "secretmanager",
    }
    cloud.resources |= app(project)
    cloud.secrets[f"{project}/secrets/gemini-api-key"] = "dGhlaXJz"
    cloud.documents |= {
        f"{project}/databases/(default)/documents/{path}" for path in ("rooms/1", "rooms/1/notes/2")
    }


def state(cloud: GoogleCloud) -> JSON:
    """The app's resources, everything in its database, its secret, and who may do what in the project beside us."""
    project = f"projects/{cloud.project}"
    database = f"{project}/databases/(default)/"
    theirs = app(project)
    bindings = cloud.access.policy(project)["bindings"]
    return copy.deepcopy(
        {
            "resources": {
                name: resource
                for name, resource in cloud.resources.items()
                if name in theirs or name.startswith(database)
            },
            "documents": sorted(
                document for document in cloud.documents if document.startswith(database)
            ),
            "secret": cloud.secrets[f"{project}/secrets/gemini-api-key"],
            "policies": {
                name: cloud.access.policies.get(name) for name in theirs if name != project
            },
            "members": [binding for binding in bindings if "roles/owner" in binding["role"]],
        }
    )
