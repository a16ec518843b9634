"""The parameters of a listing: `?pageSize=`, `?pageToken=` and what else it knows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from shared.errors import InvalidArgument

PAGE = 50
MOST_PER_PAGE = 200


def check_parameters(query: Mapping[str, str], *further: str) -> None:
    """Raises InvalidArgument for one that the listing does not know."""
    known = sorted({"pageSize", "pageToken", *further})
    for name in query:
        if name not in known:
            raise InvalidArgument(name, f"no such parameter; there are {', '.join(known)}")


def page_size(query: Mapping[str, str]) -> int:
    """Raises InvalidArgument."""
    text = query.get("pageSize", str(PAGE))
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= MOST_PER_PAGE:
        raise InvalidArgument("pageSize", f"a whole number from 1 to {MOST_PER_PAGE}")
    return int(text)
