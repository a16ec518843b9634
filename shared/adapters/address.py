"""Addresses of services, checked where they are configured and not at the first question."""

from __future__ import annotations

from urllib.parse import urlsplit

from shared.errors import SettingsError


def checked(variable: str, address: str) -> str:
    """The address as it came. Raises SettingsError naming the variable when it is no http(s) address."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError(variable, "an address like https://host/path")
    return address
