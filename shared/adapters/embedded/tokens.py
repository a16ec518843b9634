"""Stems and scopes as FTS5 tokens.

FTS5's `ascii` tokenizer keeps letters, digits and everything beyond ASCII, folds capitals and splits at the rest.
So the rest, capitals and our own mark are written as the mark and four hexadecimal digits: each stem is exactly
one token whatever characters it holds, and no two stems share one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

_MARK = "¤"
_SPECIAL = re.compile("[\x00-/:-`{-\x7f¤\ud800-\udfff]")
_COUNT = re.compile(r"=\d+")
_LONGEST = 500
"""Characters; FTS5 cuts tokens at 32 KB, which would make two long ones equal."""


@lru_cache(maxsize=2**15)
def term_token(stem: str) -> str:
    """`v1.2` -> `v1¤002e2`."""
    token = _SPECIAL.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", stem)
    if len(token) > _LONGEST:
        return f"{_MARK}h{hashlib.sha256(token.encode()).hexdigest()}"
    return token or _MARK


def scope_token(scope: str) -> str:
    """Marked so that no stem has the same token."""
    return f"{_MARK}s{term_token(scope)}"


def terms_column(terms: Mapping[str, int]) -> str:
    """`{"alpha": 2, "v1.2": 1}` -> ` alpha=2 v1¤002e2=1 `: neither space nor `=` stands in a token."""
    return f" {' '.join(f'{term_token(stem)}={count}' for stem, count in terms.items())} "


def term_counts(column: str, asked: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Of the asked (stem, ` token=`) pairs those that stand in the column. Finding beats decoding all terms."""
    counts = {}
    for stem, key in asked:
        at = column.find(key)
        if at >= 0:
            begin = at + len(key)
            counts[stem] = int(column[begin : column.index(" ", begin)])
    return counts


def term_keys(stems: Iterable[str]) -> list[tuple[str, str]]:
    """What `term_counts` looks for."""
    return [(stem, f" {term_token(stem)}=") for stem in stems]


def posting_tokens(column: str, scopes: Iterable[str]) -> str:
    """Everything a chunk is found by: the tokens of its terms column and of its scopes."""
    return _COUNT.sub("", column) + " ".join(map(scope_token, scopes))


def expression(stem: str | None, scopes: Sequence[Iterable[str]]) -> str | None:
    """An FTS5 query: the stem and, of each group of scopes, at least one. None: nothing is asked for.

    No group may be empty: FTS5 has no words for "nothing".
    """
    parts = [] if stem is None else [f'"{term_token(stem)}"']
    parts += [" OR ".join(f'"{scope_token(scope)}"' for scope in sorted(group)) for group in scopes]
    return " AND ".join(f"({part})" for part in parts) or None
