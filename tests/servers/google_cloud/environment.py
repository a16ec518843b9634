"""The environment in which gcloud and the scripts of deploy/ talk to the recorder and to nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.servers.google_cloud.cloud import GoogleCloud

GCLOUD_APIS = (
    "artifactregistry", "billingbudgets", "cloudbilling", "cloudbuild", "cloudfunctions", "cloudresourcemanager",
    "cloudscheduler", "eventarc", "firebase", "firebaserules", "firestore", "iam", "iamcredentials", "identitytoolkit",
    "logging", "monitoring", "pubsub", "run", "secretmanager", "serviceusage", "storage",
)  # fmt: skip


def tools(cloud: GoogleCloud, *, home: Path, account: str, path: str) -> dict[str, str]:
    """Environment variables for commands that `account` runs. `home`: a folder of their own; `path`: PATH."""
    home.mkdir(parents=True, exist_ok=True)
    token = home / f"token-of-{account}"
    token.write_text(token.name)
    overrides = {
        f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}": f"{cloud.url}/{api}/"
        for api in GCLOUD_APIS
    }
    overrides["CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE"] += (
        "storage/v1/"  # this one names the version, too
    )
    return {
        **overrides,
        "PATH": path,
        "HOME": str(home),
        "DEPLOY_PAUSE": "0",
        "CLOUDSDK_CORE_ACCOUNT": account,
        "CLOUDSDK_CONFIG": str(home / "gcloud"),
        "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(token),
        "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "1",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "1",
        "CLOUDSDK_CORE_CHECK_GCE_METADATA": "false",
        "HTTP_PROXY": cloud.url,
        "HTTPS_PROXY": cloud.url,
        "NO_PROXY": "127.0.0.1,localhost",
    }


def with_ready_token(path: str, folder: Path) -> str:
    """Returns a PATH whose gcloud prints the token without its second of start, and is the real one for all else."""
    real = shutil.which("gcloud", path=path)
    assert real is not None
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "gcloud"
    command.write_text(
        "#!/bin/sh\n"
        '[ "$*" = "auth print-access-token" ] && exec cat "$CLOUDSDK_AUTH_ACCESS_TOKEN_FILE"\n'
        f'exec {real} "$@"\n'
    )
    command.chmod(0o755)
    return f"{folder}:{path}"
