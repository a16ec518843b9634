"""`aurora token`: an ID token for a product that runs with an emulator, as its Auth emulator would
make one.
"""

from __future__ import annotations

import base64
import json
import os
import time

import click

from cli.terminal import echo
from desktop.product.suite import running

SECONDS = 3600
"""Lifetime of a token."""


@click.command()
@click.option(
    "--user",
    required=True,
    help="The user's id (uid).",
)
@click.option(
    "--claim-tenant",
    metavar="TENANT",
    help="The claim tenantId: the tenant whose notes they use.  [default: their own]",
)
@click.option("--project", help="Project of the token.  [default: that of the emulators]")
@click.option("--secret", help="What `aurora dev --listen` printed, for calls from other machines.")
def token(
    user: str,
    claim_tenant: str | None,
    project: str | None,
    secret: str | None,
) -> None:
    """Print an unsigned ID token, good for an hour, that only AUTH=emulator takes."""
    if not project:
        project = running(os.environ).project
    id_token = minted(
        user,
        project,
        tenant=claim_tenant,
        secret=secret,
    )
    echo(id_token)


def minted(
    user: str,
    project: str,
    *,
    tenant: str | None = None,
    secret: str | None = None,
) -> str:
    """Returns the token of the user with that uid.

    tenant, secret: None makes no claim of that name.
    """
    now = int(time.time())
    claims = {
        "iss": f"https://securetoken.google.com/{project}",
        "aud": project,
        "sub": user,
        "user_id": user,
        "iat": now,
        "auth_time": now,
        "exp": now + SECONDS,
    }
    if tenant:
        claims["tenantId"] = tenant
    if secret:
        from desktop.product.secret import CLAIM  # noqa: PLC0415 - 100 ms for those who have one

        claims[CLAIM] = secret

    header = {"alg": "none", "typ": "JWT"}
    return f"{_part(header)}.{_part(claims)}."


def _part(value: object) -> str:
    """Returns a part of a JSON Web Token."""
    text = json.dumps(value)
    encoded = base64.urlsafe_b64encode(text.encode()).decode()
    return encoded.rstrip("=")
