"""What embedding models were trained to see before queries and before documents, by their model cards."""

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
"""How the last part of a model's name begins -> the two prefixes."""


def prefixes(model: str) -> tuple[str, str]:
    """For (queries, documents); empty for models that want none."""
    name = model.lower().rpartition("/")[2]
    return next((pair for family, pair in _BY_FAMILY.items() if name.startswith(family)), ("", ""))
