"""The environment in which gcloud and firebase-tools talk to the recorder and to nothing else."""

from __future__ import annotations

from pathlib import Path

from tests.servers.google_cloud.cloud import GoogleCloud

GCLOUD_APIS = (
    "artifactregistry", "cloudbuild", "cloudfunctions", "cloudresourcemanager", "cloudscheduler", "eventarc",
    "firestore", "iam", "logging", "monitoring", "run", "secretmanager", "serviceusage", "storage",
)  # fmt: skip
FIREBASE_ORIGINS = {
    "FIREBASE_API_URL": "firebase",
    "FIREBASE_IDENTITY_URL": "identitytoolkit",
    "FIREBASE_RESOURCEMANAGER_URL": "cloudresourcemanager",
    "FIREBASE_RULES_URL": "firebaserules",
    "FIREBASE_SERVICE_USAGE_URL": "serviceusage",
    "FIRESTORE_URL": "firestore",
}
"""firebase-tools derives an API's name from its host, so the hosts stay and the recorder is the proxy."""


def tools(cloud: GoogleCloud, *, home: Path, account: str, path: str) -> dict[str, str]:
    """Environment variables for commands that `account` runs. `home`: a folder of their own; `path`: PATH."""
    home.mkdir(parents=True, exist_ok=True)
    token = home / f"token-of-{account}"
    token.write_text(token.name)
    overrides = {f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}": f"{cloud.url}/{api}/" for api in GCLOUD_APIS}
    overrides["CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE"] += "storage/v1/"  # this one names the version, too
    metadata = cloud.url.removeprefix("http://")
    return {
        **overrides,
        **{variable: f"http://{api}.googleapis.com" for variable, api in FIREBASE_ORIGINS.items()},
        "PATH": path,
        "HOME": str(home),
        "CI": "true",  # no message of the day
        "CLOUDSDK_CONFIG": str(home / "gcloud"),
        "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(token),
        "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "1",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "1",
        "GCE_METADATA_HOST": metadata,
        "GCE_METADATA_IP": metadata,
        "HTTP_PROXY": cloud.url,
        "HTTPS_PROXY": cloud.url,
        "NO_PROXY": "127.0.0.1,localhost",
    }
