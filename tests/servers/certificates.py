"""Google's key servers and the tokens that their keys sign: throw-away keys, self-signed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import NameOID

from tests.servers.scripted import Reply, Request, ScriptedServer

PROJECT = "demo-project"
NUMBER = "123456789012"
"""The project's number."""


@cache
def key(name: str) -> rsa.RSAPrivateKey:
    """One key a name; making one takes a tenth of a second."""
    del name
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def private_pem(name: str) -> str:
    return key(name).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public_pem(name: str) -> str:
    return (
        key(name)
        .public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )


@cache
def certificate(name: str) -> str:
    """Self-signed, PEM, valid today."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(subject).serial_number(1)
    now = datetime.now(UTC)
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(
        now + timedelta(days=1)
    )
    signed = builder.public_key(key(name).public_key()).sign(key(name), hashes.SHA256())
    return signed.public_bytes(Encoding.PEM).decode()


class CertificateServer(ScriptedServer):
    """Serves the certificates of `names` under their names as key ids; rotate by assigning others."""

    def __init__(self, *names: str, max_age: int = 3600) -> None:
        self.names = names
        self.max_age = max_age
        super().__init__(self._certificates)

    def _certificates(self, request: Request) -> Reply:
        del request
        headers = {
            "Cache-Control": f"public, max-age={self.max_age}, must-revalidate, no-transform"
        }
        return Reply(body={name: certificate(name) for name in self.names}, headers=headers)


class KeyServer(ScriptedServer):
    """Serves the public keys of `names` as App Check does, under their names as key ids; rotate by assigning others."""

    def __init__(self, *names: str) -> None:
        self.names = names
        super().__init__(self._keys)

    def _keys(self, request: Request) -> Reply:
        del request
        return Reply(
            body={"keys": list(map(web_key, self.names))},
            headers={"Cache-Control": "public, max-age=21600"},
        )


def web_key(name: str) -> dict[str, str]:
    """The public key of that name as a JSON web key."""
    numbers = key(name).public_key().public_numbers()
    modulus, exponent = (
        _base64(value.to_bytes((value.bit_length() + 7) // 8)) for value in (numbers.n, numbers.e)
    )
    return {
        "kty": "RSA",
        "use": "sig",
        "alg": "RS256",
        "kid": name,
        "n": modulus,
        "e": exponent,
    }


def app_claims(**changed: object) -> dict[str, object]:
    """Claims of a good App Check token; `None` leaves a claim out."""
    now = int(time.time())
    good = {
        "sub": "1:123456789012:web:0123456789abcdef",
        "aud": [f"projects/{NUMBER}", f"projects/{PROJECT}"],
        "iss": f"https://firebaseappcheck.googleapis.com/{NUMBER}",
        "iat": now - 60,
        "exp": now + 3600,
        "provider": "recaptcha_enterprise",
    }
    return {name: value for name, value in {**good, **changed}.items() if value is not None}


def claims(**changed: object) -> dict[str, object]:
    """Claims of a good Firebase ID token; `None` leaves a claim out."""
    now = int(time.time())
    good = {
        "aud": PROJECT,
        "iss": f"https://securetoken.google.com/{PROJECT}",
        "sub": "uid-1",
        "user_id": "uid-1",
        "auth_time": now - 60,
        "iat": now - 60,
        "exp": now + 3600,
    }
    return {name: value for name, value in {**good, **changed}.items() if value is not None}


def signed(
    by: str,
    body: Mapping[str, object],
    *,
    kid: str | None = None,
    alg: str = "RS256",
    typ: str = "JWT",
) -> str:
    """RS256 by the key of that name. `kid`: another key id than the key's name; empty: none."""
    header = {
        "alg": alg,
        "typ": typ,
        "kid": by if kid is None else kid,
    }
    if not header["kid"]:
        del header["kid"]
    content = f"{_encoded(header)}.{_encoded(body)}"
    return (
        f"{content}.{_base64(key(by).sign(content.encode(), padding.PKCS1v15(), hashes.SHA256()))}"
    )


def signed_with_secret(secret: str, body: Mapping[str, object], *, kid: str) -> str:
    """HS256: the forgery that takes a public certificate for a shared secret."""
    content = f"{_encoded({'alg': 'HS256', 'typ': 'JWT', 'kid': kid})}.{_encoded(body)}"
    return (
        f"{content}.{_base64(hmac.new(secret.encode(), content.encode(), hashlib.sha256).digest())}"
    )


def unsigned(body: Mapping[str, object], *, alg: str = "none", **header: object) -> str:
    """Make a token as the Auth emulator does."""
    return f"{_encoded({'alg': alg, 'typ': 'JWT', **header})}.{_encoded(body)}."


def _encoded(value: Mapping[str, Any]) -> str:
    return _base64(json.dumps(value).encode())


def _base64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")
