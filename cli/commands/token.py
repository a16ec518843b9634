"""`aurora token`: an ID token for a product that runs with an emulator, as its Auth emulator would make one."""

from __future__ import annotations

import base64
import json
import os
import time

import click

from cli.product.suite import running

SECONDS = 3600


@click.command()
@click.option("--user", required=True, help="The user's id (uid).")
@click.option(
    "--claim-tenant", metavar="TENANT", help="The claim tenantId: whose notes they use.  [default: their own]"
)
@click.option("--project", help="Which project's.  [default: that of the emulators]")
def token(user: str, claim_tenant: str | None, project: str | None) -> None:
    """Print an unsigned ID token, good for an hour, that only AUTH=emulator takes."""
    click.echo(minted(user, project or running(os.environ).project, tenant=claim_tenant))


def minted(user: str, project: str, *, tenant: str | None = None) -> str:
    """The token of the user with that uid. `tenant` None: no claim of that name."""
    now = int(time.time())
    claims = {
        "iss": f"https://securetoken.google.com/{project}",
        "aud": project,
        "sub": user,
        "user_id": user,
        "iat": now,
        "auth_time": now,
        "exp": now + SECONDS,
        **({"tenantId": tenant} if tenant else {}),
    }
    return f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(claims)}."


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
