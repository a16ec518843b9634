"""What the folders hold, what they held last time, what the tenant has -> what to write and what to remove.

A file that changed replaces what it brought before. What a tenant changed, deleted or wrote under the same id stays
as they left it, whatever the file does: a new version of the product does not undo what its users did.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from shared.model.templates import Template
from shared.templates.folders import Shelf


@dataclass(frozen=True, slots=True)
class Delivery:
    """What brings a tenant's templates up to the folders."""

    put: tuple[Template, ...]
    remove: tuple[str, ...]
    shelf: Mapping[str, str]
    """To be remembered for the next time: id -> revision."""
    kept: tuple[str, ...]
    """Ids that the tenant has left otherwise than the files say, and that stay so."""
    conflicts: tuple[str, ...]
    """Those of them whose files have changed too."""


def deliver(shelf: Shelf, before: Mapping[str, str], held: Sequence[Template]) -> Delivery:
    """`before`: what was remembered the last time. A file that cannot be read now counts as not changed."""
    now = {each.template_id: revision(each) for each in shelf.templates}
    theirs = {each.template_id: revision(each) for each in held}
    unread = {problem.template_id for problem in shelf.problems}
    gone = {} if None in unread else {one: was for one, was in before.items() if one not in now and one not in unread}
    kept = {one: was for one, was in before.items() if one not in gone}

    def untouched(template_id: str) -> bool:
        return theirs.get(template_id) == before.get(template_id)

    otherwise = [one for one in now if not untouched(one) and theirs.get(one) != now[one]]
    return Delivery(
        put=tuple(
            each
            for each in shelf.templates
            if before.get(each.template_id) != now[each.template_id]
            and theirs.get(each.template_id) != now[each.template_id]
            and untouched(each.template_id)
        ),
        remove=tuple(sorted(one for one in gone if one in theirs and untouched(one))),
        shelf={**kept, **now},
        kept=tuple(sorted(otherwise)),
        conflicts=tuple(sorted(one for one in otherwise if before.get(one) != now[one])),
    )


def revision(template: Template) -> str:
    """Of all that a template says: equal for equal templates."""
    return hashlib.sha256(json.dumps(asdict(template), sort_keys=True).encode()).hexdigest()[:32]
