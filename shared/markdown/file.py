"""A Markdown file -> what it says about itself: title, tags, language, when it was created; and its note's id.

Every way in reads files here (the command, the web page's drop), so that the same file is the same note by all.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import count, islice
from pathlib import PurePosixPath

from shared.markdown.frontmatter import MAX_YAML, split, with_fields
from shared.model.limits import LANG_PATTERN, MAX_NAME, MAX_TAGS, MAX_TITLE
from shared.model.notes import Note
from shared.times.dates import day_in, is_within_years

NOON = time(12, tzinfo=UTC)
"""A bare date is noon UTC, which is that day in nearly every time zone."""

ALIAS = "alias: "
"""How the property of another name of a note begins."""
MAX_PROPERTIES = 300
"""Characters of a note's properties that are indexed: they are part of each of its chunks, of about 1,000."""
_KNOWN = frozenset({"title", "tags", "lang", "created", "date", "updated", "modified", "alias", "aliases"})
"""Fields of the frontmatter that are no other property."""
_HEADING = re.compile(r"#[ \t]++(?P<title>\S.*)")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_DAY_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>\d{4})(?P<sign>[-_.]?)(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?!\d)", re.ASCII
)
_CREATED_LINE = re.compile(
    r"[\s>*_-]*created(?: at| on)?[\s*_]*::?[\s*_]*(?P<when>\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?)", re.IGNORECASE
)
_MAX_LINES = 30
"""First lines of a note in which it may say when it was created."""
_MAX_DATE_LINE = 60
"""Characters of a first line that dates the note: prose that names a day ("The passport expires on …") does not."""
_INLINE_TAG = re.compile(r"(?<![^\s(])#(?=[\w/-]*[^\W\d_])([\w/-]*\w)")
_TICKS = re.compile(r"`+")
_UNKEPT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
"""YAML can spell signs that no file holds."""


@dataclass(frozen=True, slots=True)
class FileFields:
    """What a file says of itself."""

    title: str
    tags: tuple[str, ...]
    lang: str | None
    created_at: datetime | None
    """None: it does not say."""
    dated: str | None
    """Where it says so."""
    problem: str | None
    """In one line, what is odd about it although it is a note; None: nothing."""


def note_id_of(vault: str, path: str) -> str:
    """A hash of both: 32 hexadecimal digits."""
    return hashlib.sha256(f"{vault}\0{path}".encode()).hexdigest()[:32]


def candidate_ids(vault: str, path: str) -> Iterator[str]:
    """Ids for the note of a file: the first one, and others for when that one's note has moved to another path."""
    yield note_id_of(vault, path)
    yield from (note_id_of(vault, f"{path}//{copy}") for copy in count(2))


def fields_of(text: str, path: str) -> FileFields:
    """The text of the file at `path` (POSIX, below its vault's root) -> its fields. Never raises."""
    front, file = split(text), PurePosixPath(path)
    body = text[front.body_start :]
    title, lang = _title(front.fields, body, file.stem), front.fields.get("lang")
    created_at, dated = _created(front.fields, file.name, title, body)
    return FileFields(
        title=title,
        tags=_tags(front.fields.get("tags"), body),
        lang=lang if isinstance(lang, str) and re.fullmatch(LANG_PATTERN, lang) else None,
        created_at=created_at,
        dated=dated,
        problem=front.problem and f"indexed {'without its' if front.shown_from else 'as plain text:'} {front.problem}",
    )


def aliases_of(text: str) -> tuple[str, ...]:
    """Other names of a note, from its frontmatter: a list, or text with commas. Each once."""
    if not text.startswith(("---", "\ufeff---")) or "alias" not in text[:MAX_YAML]:
        return ()
    fields = split(text).fields
    value = fields.get("aliases", fields.get("alias"))
    names = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    plain = (_UNKEPT.sub(" ", str(name)).strip()[:MAX_TITLE] for name in names if name is not None)
    return tuple(dict.fromkeys(name for name in plain if name))[:MAX_TAGS]


def properties_of(text: str) -> tuple[str, ...]:
    """A note's frontmatter beyond title, tags, language and dates of writing, as `key: value` lines: `alias: …` once
    for each other name of the note, then the other fields in their order, as far as they fit into MAX_PROPERTIES
    characters. Left out are nested fields, and addresses and paths, which are for machines.
    """
    lines = [f"{ALIAS}{name}" for name in aliases_of(text)]
    for name, value in split(text).fields.items():
        parts = [part for part in map(_plain, value if isinstance(value, list) else [value]) if part]
        if name.lower() not in _KNOWN and parts:
            lines.append(f"{_UNKEPT.sub(' ', name).strip()}: {', '.join(parts)}")
    kept: list[str] = []
    for line in lines:
        if sum(map(len, kept)) + len(line) <= MAX_PROPERTIES:
            kept.append(line)
    return tuple(kept)


def _plain(value: object) -> str:
    """Text, number, truth or date in one line; empty for anything else."""
    if not isinstance(value, str | int | float | date):
        return ""
    found = _UNKEPT.sub(" ", str(value)).strip()
    return "" if found.startswith(("/", "./", "../")) or "://" in found else found


def _title(fields: Mapping[str, object], body: str, stem: str) -> str:
    """From the frontmatter, else the first first-level heading, else the file's name."""
    named = fields.get("title")
    title = _UNKEPT.sub(" ", str(named)) if isinstance(named, str | int | float | date) else ""
    return (title.strip() or _first_heading(body) or stem)[:MAX_TITLE]


def _first_heading(body: str) -> str:
    for line in prose(body):
        if found := _HEADING.match(line):
            title = found["title"].rstrip()
            bare = title.rstrip("#")
            return bare.rstrip() if bare[-1:].isspace() or not bare else title
    return ""


def prose(body: str) -> Iterator[str]:
    """The lines that are no code; code within a line stays."""
    fence = ""
    for line in body.splitlines():
        opening = _FENCE.match(line)
        if fence:
            fence = "" if opening and opening[1].startswith(fence) else fence
        elif opening:
            fence = opening[1]
        else:
            yield line


def without_code(line: str, shown: Callable[[str], str] = lambda _: "") -> str:
    """A line of prose with each span of code as it is `shown`: not at all by default. Linear in the line."""
    runs = [found.span() for found in _TICKS.finditer(line)]
    by_length: dict[int, list[int]] = {}
    for place in reversed(range(len(runs))):
        by_length.setdefault(runs[place][1] - runs[place][0], []).append(place)
    kept, end, place = [], 0, 0
    while place < len(runs):
        start, inside = runs[place]
        alike = by_length[inside - start]
        while alike and alike[-1] <= place:
            alike.pop()
        if alike:
            place = alike[-1]
            kept += [line[end:start], shown(line[inside : runs[place][0]])]
            end = runs[place][1]
        place += 1
    return "".join([*kept, line[end:]])


def _tags(value: object, body: str) -> tuple[str, ...]:
    """A list, lists in it flattened and fields skipped, or text with commas or spaces, `#` dropped; then those in the
    text, like `#boats/repair`. Each once.
    """
    words = re.split(r"[,\s]+", value) if isinstance(value, str) else list(_flat(value))
    plain = [_UNKEPT.sub("", word).strip().lstrip("#") for word in words]
    plain += [tag for line in prose(body) if "#" in line for tag in _INLINE_TAG.findall(without_code(line))]
    return tuple(dict.fromkeys(tag[:MAX_NAME] for tag in plain if tag))[:MAX_TAGS]


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _flat(each)
    elif isinstance(value, str):
        yield value


def _created(
    fields: Mapping[str, object], name: str, title: str, body: str
) -> tuple[datetime, str] | tuple[None, None]:
    """`created`, else `date`, else the first day in the file's name, else a line like `Created: 2024-03-05`, else the
    one day that the title or a short first line names; and which of them it was.
    """
    lines = list(islice(prose(body), _MAX_LINES))
    first_line = next(filter(str.strip, lines), "")
    created_line = next((found["when"] for line in lines if (found := _CREATED_LINE.match(line))), None)
    for value, source in (
        (fields.get("created"), "frontmatter"),
        (fields.get("date"), "frontmatter"),
        *((f"{found['year']}-{found['month']}-{found['day']}", "file name") for found in _DAY_IN_NAME.finditer(name)),
        (day_in(name[:MAX_TITLE]), "file name"),
        (created_line, "created line"),
        (day_in(title), "title"),
        (day_in(first_line) if len(first_line) <= _MAX_DATE_LINE else None, "first line"),
    ):
        when = _when(value)
        if when is not None and is_within_years(when):
            return when, source
    return None, None


def _when(value: object) -> datetime | None:
    """YAML gives dates, times and text; a time without zone is UTC."""
    if isinstance(value, str):
        text, value = value.strip(), None
        for parse in (datetime.fromisoformat, date.fromisoformat):  # of a text that both read, it is a date
            with suppress(ValueError):
                value = parse(text)
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime.combine(value, NOON) if isinstance(value, date) else None


def whole_content(note: Note, path: str) -> bytes:
    """A note as a file at `path` with all its fields, also those that have to be left out of a file that stays."""
    says = fields_of(note.text, path)
    wanted = dict(wanted_fields(says, note, None))
    if note.created_at != says.created_at:
        wanted["created"] = _day_or_instant(note)
    text = with_fields(note.text, wanted)
    if wanted and text == note.text:
        import yaml  # noqa: PLC0415 - as in shared.markdown.frontmatter

        said = yaml.safe_dump(wanted, allow_unicode=True, sort_keys=False, width=10_000)
        text = f"---\n{said}---\n{note.text}"
    return text.encode()


def wanted_fields(says: FileFields, note: Note, before: FileFields | None) -> Mapping[str, object]:
    """Fields of the note that somebody has changed, not those that only stayed as they were while the text changed."""
    wanted: dict[str, object] = {}
    for name in ("title", "tags", "lang"):
        value = getattr(note, name)
        if value != getattr(says, name) and (before is None or value != getattr(before, name)):
            wanted[name] = list(value) if name == "tags" else value
    if says.created_at is not None and note.created_at != says.created_at:
        wanted["created"] = _day_or_instant(note)
    return wanted


def _day_or_instant(note: Note) -> object:
    created = note.created_at
    return date(created.year, created.month, created.day) if created.timetz() == NOON else created
