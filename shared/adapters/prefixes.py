"""Prefixes with which embedding models were trained for queries and for documents, by their model cards."""

from __future__ import annotations

_QUERY = "Represent this sentence for searching relevant passages: "
_BY_FAMILY = {
    "nomic-embed-text": ("search_query: ", "search_document: "),
    "mxbai-embed-large": (_QUERY, ""),
    "snowflake-arctic-embed": (_QUERY, ""),
    "multilingual-e5": ("query: ", "passage: "),
    "e5-": ("query: ", "passage: "),
    "bge-small-en": (_QUERY, ""),
    "bge-base-en": (_QUERY, ""),
    "bge-large-en": (_QUERY, ""),
}
"""Begin of the last part of a model's name -> (prefix of queries, prefix of documents)."""


def prefixes(model: str) -> tuple[str, str]:
    """Returns the prefixes of (queries, documents); empty for models that want none."""
    name = model.lower().rpartition("/")[2]
    for family, pair in _BY_FAMILY.items():
        if name.startswith(family):
            return pair
    return "", ""
