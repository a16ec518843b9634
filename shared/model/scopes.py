"""The tokens with which one array filter serves vaults, folders and tags (a chunk's `scopes`)."""

from __future__ import annotations

from collections.abc import Iterable


def vault_token(vault: str) -> str:
    return f"v:{vault}"


def folder_token(vault: str, folder: str) -> str:
    return f"f:{vault}/{folder}"


def place_token(vault: str, folder: str) -> str:
    """Of a folder, or where it is empty of the whole vault."""
    return folder_token(vault, folder) if folder else vault_token(vault)


def tag_token(tag: str) -> str:
    return f"t:{tag}"


def tags_of(tokens: Iterable[str]) -> list[str]:
    """The tags whose tokens are among these, sorted."""
    return sorted(token.removeprefix("t:") for token in tokens if token.startswith("t:"))


def ancestors(path: str) -> tuple[str, ...]:
    """`a/b/note.md` -> (`a`, `a/b`): every folder the path lies in, outermost first."""
    parts = path.split("/")[:-1]
    return tuple("/".join(parts[: depth + 1]) for depth in range(len(parts)))


def scopes_of(vault: str, path: str, tags: Iterable[str]) -> tuple[str, ...]:
    """All tokens of a note, each once, sorted."""
    tokens = {vault_token(vault), *(folder_token(vault, folder) for folder in ancestors(path)), *map(tag_token, tags)}
    return tuple(sorted(tokens))
