"""Where a tenant's file lies, for tests that look at it from outside or break it."""

from __future__ import annotations

from pathlib import Path

from shared.adapters.embedded.files import file_name


def tenant_file(home: Path, tenant_id: str) -> Path:
    return home / "tenants" / file_name(tenant_id)
