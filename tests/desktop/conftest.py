"""The command's fixtures: what the product on one machine does is seen through the command."""

from tests.cli.conftest import aurora, notes, server  # noqa: F401 - fixtures
