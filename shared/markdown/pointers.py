"""Reads the pointers of a note to others, and the names by which others point to it.

Pointers are `[[wiki links]]`, embeds and links to Markdown files.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from urllib.parse import unquote

from shared.markdown.file import aliases_of
from shared.markdown.frontmatter import split
from shared.markdown.lines import prose, without_code
from shared.model.notes import Note

MAX_POINTERS = 500
"""Maximum number of pointers read of a note. Each is an index entry or two of its first chunk."""

_WIKI = re.compile(
    r"(?P<embeds>!?)\[\[(?P<target>[^\[\]|\n]{1,300})(?:\|(?P<label>[^\[\]\n]{1,300}))?\]\]",
)
_LINK = re.compile(
    r"(?<!!)\[(?P<label>[^\[\]\n]{0,500})\]"
    r"\([ \t]*(?:<(?P<framed>[^<>\n]{1,1000})>|(?P<bare>[^\s()<>]{1,1000}))(?:[ \t]+\"[^\"\n]{0,300}\")?[ \t]*\)",
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_MARKDOWN = re.compile(r"\.(?:md|markdown)\Z", re.IGNORECASE)
_OTHER_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """One link of a note to another."""

    target: str
    """Target as it is written, heading included: clients find what to link in the text by it."""
    name: str
    """Title, alias, path or end of a path of the note that is meant; without `.md`."""
    heading: str
    """Heading within the note; empty if none is named."""
    label: str
    """Text that is shown; empty if the target itself is shown."""
    beside: bool
    """True if the path is looked up from the note's own folder first."""

    @property
    def names(self) -> tuple[str, ...]:
        """Folded names; the note that is meant has one of them."""
        path = folded(self.name)
        _, _, last_part = path.rpartition("/")
        return _distinct([path, last_part])


def pointers(text: str) -> tuple[Pointer, ...]:
    """Returns the pointers of a note's Markdown in order, each target once.

    Code, pictures and links to headings of the note itself give none.
    """
    if "[" not in text:
        return ()
    body_start = split(text).body_start
    body = text[body_start:]
    first_pointers = islice(_all_pointers(body), 4 * MAX_POINTERS)
    distinct: dict[str, Pointer] = {}
    for pointer in first_pointers:
        distinct.setdefault(pointer.target, pointer)
    distinct_pointers = tuple(distinct.values())
    return distinct_pointers[:MAX_POINTERS]


def _all_pointers(body: str) -> Iterator[Pointer]:
    """Yields the pointers of a note's text in order, with repeats."""
    for line in prose(body):
        if "[" not in line:
            continue

        line_text = without_code(line)
        links = [
            *_WIKI.finditer(line_text),
            *_LINK.finditer(line_text),
        ]
        links.sort(key=re.Match.start)
        for link in links:
            if link.re is _WIKI:
                pointer = _of_wiki_link(link)
            else:
                pointer = _of_link(link)
            if pointer is not None:
                yield pointer


def _of_wiki_link(link: re.Match[str]) -> Pointer | None:
    """Returns the pointer that `[[target|label]]` is; None if it leads to no note."""
    target = link["target"].removesuffix("\\").strip()  # in a table's cell the bar is escaped
    name, _, heading = target.partition("#")
    label = link["label"] or ""
    if link["embeds"]:
        label = ""
        is_other_file = _OTHER_FILE.search(name) and not _MARKDOWN.search(name)
        if is_other_file:
            return None
    return _pointer(
        target=target,
        name=name,
        heading=heading,
        label=label,
        beside=name.startswith(("./", "../")),
    )


def _of_link(link: re.Match[str]) -> Pointer | None:
    """Returns the pointer that `[label](target)` is; None if it leads to no note."""
    target = (link["framed"] or link["bare"]).strip()
    path, _, fragment = target.partition("#")
    name = unquote(path)
    if _ADDRESS.match(target):
        return None
    if not _MARKDOWN.search(name):
        return None
    return _pointer(
        target=target,
        name=name,
        heading=unquote(fragment),
        label=link["label"],
        beside=True,
    )


def _pointer(*, target: str, name: str, heading: str, label: str, beside: bool) -> Pointer | None:
    """Returns a pointer by its parts; None if the name is empty: it leads to the note itself."""
    path = without_suffix(name.strip())
    note_name = path.strip()
    leads_to_itself = not note_name.strip("/. ")
    if leads_to_itself:
        return None
    if heading.startswith("^"):  # a block's id is no heading
        heading = ""
    return Pointer(
        target=target,
        name=note_name,
        heading=heading.strip(),
        label=label.strip(),
        beside=beside,
    )


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Returns each name that is not empty once, in order."""
    not_empty = filter(None, names)
    return tuple(dict.fromkeys(not_empty))


def without_suffix(path: str) -> str:
    """Returns `a/b` for `a/b.md`.

    Other suffixes stay: they are part of how a file is named in links.
    """
    return _MARKDOWN.sub("", path)


def folded(name: str) -> str:
    """Returns one spelling for names that differ only in capitals, blanks and coding of accents."""
    composed = unicodedata.normalize("NFC", name)
    words = composed.casefold().split()
    return " ".join(words)


def file_name(note: Note) -> str:
    """Returns the name of a note's file without its suffix; empty if it has none."""
    path = without_suffix(note.path)
    _, _, name = path.rpartition("/")
    return name


def names_of(note: Note) -> tuple[str, ...]:
    """Returns the folded names of a note, each once: its file's name, its title, its aliases."""
    names = (
        file_name(note),
        note.title,
        *aliases_of(note.text),
    )
    return _distinct(map(folded, names))


def index_term(
    kind: Literal["name", "link"],
    vault: str,
    name: str,
) -> str:
    """Returns the index's term of a vault's notes that have a folded name, or that point at it.

    Unlike any word, it contains a blank.
    """
    key = f"{vault}\0{name}".encode()
    digest = hashlib.sha256(key).hexdigest()
    shortened = digest[:24]
    return f"{kind} {shortened}"


def link_terms(note: Note) -> tuple[str, ...]:
    """Returns the index's terms of a note by its names and by its pointers, each once."""
    vault = note.vault
    terms = []
    for name in names_of(note):
        term = index_term("name", vault, name)
        terms.append(term)
    for pointer in pointers(note.text):
        for name in pointer.names:
            term = index_term("link", vault, name)
            terms.append(term)
    return _distinct(terms)
