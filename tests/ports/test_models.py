"""Embedders check each vector before they scale it to length 1."""

from __future__ import annotations

import math

import pytest

from shared.errors import PortContractError
from shared.ports.models import check_norm


@pytest.mark.parametrize("norm", [0.0, math.nan, math.inf, -math.inf])
def test_a_vector_without_direction_is_a_broken_promise(norm: float) -> None:
    with pytest.raises(PortContractError, match="m: a vector without direction"):
        check_norm(norm, "m")


@pytest.mark.parametrize("norm", [1.0, 1e-30, 1e30])
def test_any_other_can_be_scaled(norm: float) -> None:
    check_norm(norm, "m")
