"""Fixtures: one Firestore emulator a test session, one fresh project a test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from bench.reads import CountedStore
from desktop.product.emulator import Emulator, EmulatorMissing, start
from shared.adapters.firestore.connection import DEFAULT_DATABASE
from tests.missing import missing
from tests.servers.firestore_limits import ProductionLimits
from tests.servers.firestore_proxy import FirestoreProxy

PATIENCE = 120.0
"""Seconds: a test waits for a busy machine, production does not."""


def patient_store(
    project: str, database: str = DEFAULT_DATABASE, deployment: str = ""
) -> CountedStore:
    """A store that a slow emulator does not fail."""
    return CountedStore(
        project,
        database=database,
        read_seconds=PATIENCE,
        write_seconds=PATIENCE,
        deployment=deployment,
    )


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    """Without Java or the emulator these tests are skipped, saying what is missing; where CI=true they fail."""
    try:
        running = start()
    except EmulatorMissing as lacking:
        missing(lacking.message)
    with running:
        yield running


@pytest.fixture(scope="session")
def limits(emulator: Emulator) -> Iterator[ProductionLimits]:
    """Limits of production on everything that passes `firestore_host`."""
    limits = ProductionLimits(emulator.host)
    yield limits
    limits.close()


@pytest.fixture(scope="session")
def firestore_host(emulator: Emulator, limits: ProductionLimits) -> Iterator[str]:
    """The emulator's gRPC behind production's limits, for FIRESTORE_EMULATOR_HOST."""
    with FirestoreProxy(emulator.host, limits) as proxy:
        yield proxy.host


@pytest.fixture
def firestore_project(
    emulator: Emulator,
    firestore_host: str,
    limits: ProductionLimits,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """A project that is empty, and FIRESTORE_EMULATOR_HOST set for this test. It fails if production would have refused
    anything, even where the product got over it.
    """
    project = f"demo-{uuid.uuid4().hex[:12]}"
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
    limits.refused.clear()
    yield project
    emulator.reset(project)
    assert not limits.refused


@pytest.fixture
def firestore_store(firestore_project: str) -> Iterator[CountedStore]:
    """An empty store in a project of its own."""
    store = patient_store(firestore_project)
    yield store
    store.close()
