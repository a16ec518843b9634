"""Where a note points: `[[wiki links]]`, embeds and links to Markdown files; and the names by which a note is meant."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from urllib.parse import unquote

from shared.markdown.file import aliases_of, prose, without_code
from shared.markdown.frontmatter import split
from shared.model.notes import Note

MAX_POINTERS = 500
"""Most pointers read of a note. Each is an index entry or two of its first chunk."""

_WIKI = re.compile(r"(?P<embeds>!?)\[\[(?P<target>[^\[\]|\n]{1,300})(?:\|(?P<label>[^\[\]\n]{1,300}))?\]\]")
_LINK = re.compile(
    r"(?<!!)\[(?P<label>[^\[\]\n]{0,500})\]"
    r"\([ \t]*(?:<(?P<framed>[^<>\n]{1,1000})>|(?P<bare>[^\s()<>]{1,1000}))(?:[ \t]+\"[^\"\n]{0,300}\")?[ \t]*\)"
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_MARKDOWN = re.compile(r"\.(?:md|markdown)\Z", re.IGNORECASE)
_OTHER_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """One link of a note to another."""

    target: str
    """As it is written, heading included: by it whoever shows the text finds what it leads to."""
    name: str
    """What is meant: a title, an alias, or a path or its end; without `.md`."""
    heading: str
    """Empty: none is named."""
    label: str
    """Empty: the target is shown."""
    beside: bool
    """Whether the path is meant to begin at the note's own folder first."""

    @property
    def names(self) -> tuple[str, ...]:
        """Folded names, one of which the note that is meant must have."""
        whole = folded(self.name)
        return tuple(dict.fromkeys(filter(None, (whole, whole.rpartition("/")[2]))))


def pointers(text: str) -> tuple[Pointer, ...]:
    """A note's Markdown -> its pointers in order, each target once; code, pictures and own headings give none."""
    if "[" not in text:
        return ()
    lines = (without_code(line) for line in prose(text[split(text).body_start :]) if "[" in line)
    found = (
        each for line in lines for each in sorted([*_WIKI.finditer(line), *_LINK.finditer(line)], key=re.Match.start)
    )
    distinct: dict[str, Pointer] = {}
    for pointer in islice(filter(None, map(_pointer, found)), 4 * MAX_POINTERS):
        distinct.setdefault(pointer.target, pointer)
    return tuple(distinct.values())[:MAX_POINTERS]


def _pointer(found: re.Match[str]) -> Pointer | None:
    """None: it leads to no note."""
    if found.re is _WIKI:
        target = found["target"].removesuffix("\\").strip()  # in a cell of a table a backslash stands before the bar
        name, _, heading = target.partition("#")
        label = "" if found["embeds"] else found["label"] or ""
        beside = name.startswith(("./", "../"))
        is_other = found["embeds"] and _OTHER_FILE.search(name) and not _MARKDOWN.search(name)
    else:
        target = (found["framed"] or found["bare"]).strip()
        name, _, heading = map(unquote, target.partition("#"))
        label, beside = found["label"], True
        is_other = _ADDRESS.match(target) or not _MARKDOWN.search(name)
    meant = without_suffix(name.strip()).strip()
    if is_other or not meant.strip("/. "):
        return None
    shown = "" if heading.startswith("^") else heading.strip()  # a block's id is no heading
    return Pointer(target=target, name=meant, heading=shown, label=label.strip(), beside=beside)


def without_suffix(path: str) -> str:
    """`a/b.md` -> `a/b`. Other suffixes stay: they are part of how a file is named in links."""
    return _MARKDOWN.sub("", path)


def folded(name: str) -> str:
    """Equal for names that are spelt alike but for capitals, blanks and how accents are encoded."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def names_of(note: Note) -> tuple[str, ...]:
    """Folded: its file's name, its title, its aliases. Each once."""
    spelt = (without_suffix(note.path).rpartition("/")[2], note.title, *aliases_of(note.text))
    return tuple(dict.fromkeys(filter(None, map(folded, spelt))))


def index_term(kind: Literal["name", "link"], vault: str, name: str) -> str:
    """The index's term of notes of a vault that have a folded name, or that point at it. No word holds a blank."""
    digest = hashlib.sha256(f"{vault}\0{name}".encode()).hexdigest()
    return f"{kind} {digest[:24]}"


def link_terms(note: Note) -> tuple[str, ...]:
    """By which the index finds the note as one that is pointed at, and as one that points."""
    named = [index_term("name", note.vault, name) for name in names_of(note)]
    meant = [index_term("link", note.vault, name) for pointer in pointers(note.text) for name in pointer.names]
    return tuple(dict.fromkeys([*named, *meant]))
