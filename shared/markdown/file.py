"""Reads what a Markdown file says about itself: title, tags, language, when it was created; and its
note's id.

Every way in reads files here (the command, the web page's drop), so that a file becomes the same note whichever way it
comes in.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import count, islice
from pathlib import PurePosixPath

from shared.markdown.frontmatter import MAX_YAML, Frontmatter, split, with_fields
from shared.markdown.lines import prose, without_code
from shared.model.limits import LANG_PATTERN, MAX_NAME, MAX_TAGS, MAX_TITLE
from shared.model.notes import Note
from shared.times.dates import day_in, is_within_years

NOON = time(12, tzinfo=UTC)
"""Time of a bare date: noon UTC is that day in nearly every time zone."""

ALIAS = "alias: "
"""Prefix of the property that is another name of a note."""
MAX_PROPERTIES = 300
"""Characters of a note's properties that are indexed: they are part of each of its chunks, of about
1,000."""
_NO_PROPERTIES = frozenset(
    {"title", "tags", "lang", "created", "date", "updated", "modified", "alias", "aliases"},
)
"""Fields of the frontmatter that are read for themselves and are no property."""
_DATE_FIELDS = ("created", "date")
"""Fields of the frontmatter that date a note, the surer first."""
_HEADING = re.compile(r"#[ \t]++(?P<title>\S.*)")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*\Z")
"""Makes a heading of the line above it."""
_NO_TITLE = re.compile(r" {4}| {0,3}(?:\t|[>|#]|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z))")
"""Begins a line that is no paragraph: indented code, a quotation, a table, a heading or a list."""
_DAY_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>\d{4})(?P<sign>[-_.]?)(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?!\d)",
    re.ASCII,
)
_CREATED_LINE = re.compile(
    r"[\s>*_-]*created(?: at| on)?[\s*_]*::?[\s*_]*(?P<when>\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?)",
    re.IGNORECASE,
)
_MAX_LINES = 30
"""First lines of a note in which it may say when it was created."""
_MAX_DATE_LINE = 60
"""Characters of a first line that dates the note: prose that names a day ("The passport expires on
…") does not."""
_INLINE_TAG = re.compile(r"(?<![^\s(])(?<!\]\()#(?=[\w/-]*[^\W\d_])([\w/-]*\w)")
_UNKEPT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
"""Signs that YAML can spell and that no file holds."""


@dataclass(frozen=True, slots=True)
class FileFields:
    """The fields of a note that its file names."""

    title: str
    tags: tuple[str, ...]
    lang: str | None
    created_at: datetime | None
    """Date that the file names; None if it names none."""
    dated: str | None
    """Place in the file that names the date."""
    problem: str | None
    """One line about what is odd in the file although it is a note; None if nothing is."""


def note_id_of(vault: str, path: str) -> str:
    """Returns a hash of both: 32 hexadecimal digits."""
    key = f"{vault}\0{path}".encode()
    digest = hashlib.sha256(key).hexdigest()
    return digest[:32]


def candidate_ids(vault: str, path: str) -> Iterator[str]:
    """Yields ids for a file's note: one, and more in case the note of the first has moved away."""
    yield note_id_of(vault, path)
    for copy in count(2):
        yield note_id_of(vault, f"{path}//{copy}")


def fields_of(text: str, path: str) -> FileFields:
    """Returns the fields of a file by its text and path (POSIX, below its vault's root).

    Never raises.
    """
    front = split(text)
    fields = front.fields
    file = PurePosixPath(path)
    body = text[front.body_start :]
    title = _title(fields, body, file.stem)
    created = _created(fields, file.name, title, body)
    return FileFields(
        title=title,
        tags=_tags(fields.get("tags"), body),
        lang=_lang(fields.get("lang")),
        created_at=created.at,
        dated=created.source,
        problem=_problem(front),
    )


def _lang(value: object) -> str | None:
    """Returns the language that a field names; None if it is no language tag."""
    if isinstance(value, str) and re.fullmatch(LANG_PATTERN, value):
        return value
    return None


def _problem(front: Frontmatter) -> str | None:
    """Says how a note with an unreadable frontmatter, or date in it, is indexed; None if all is readable."""
    if not front.problem:
        return _date_problem(front.fields)
    if front.shown_from:
        return f"indexed without its {front.problem}"
    return f"indexed as plain text: {front.problem}"


def _date_problem(fields: Mapping[str, object]) -> str | None:
    """Names the first field that should hold a date and holds something else; None if there is none."""
    for field in _DATE_FIELDS:
        value = fields.get(field)
        if value is None or value == "":
            continue
        if _readable_date(value) is None:
            return f"`{field}` in its frontmatter is no date like 2024-03-05, and is passed over"
    return None


def aliases_of(text: str) -> tuple[str, ...]:
    """Returns other names of a note, from its frontmatter: a list, or text with commas.

    Each once.
    """
    has_frontmatter = text.startswith(("---", "\ufeff---"))
    if not has_frontmatter or "alias" not in text[:MAX_YAML]:
        return ()

    fields = split(text).fields
    single_alias = fields.get("alias")
    value = fields.get("aliases", single_alias)
    names: list[object] = []
    if isinstance(value, str):
        names += value.split(",")
    elif isinstance(value, list):
        names += [name for name in value if name is not None]

    aliases: dict[str, None] = {}
    for name in names:
        line = _one_line(name)
        alias = line[:MAX_TITLE]
        if alias:
            aliases[alias] = None
    return tuple(aliases)[:MAX_TAGS]


def _one_line(value: object) -> str:
    """Returns a value of the frontmatter as text that a file can hold, on one line."""
    line = _UNKEPT.sub(" ", str(value))
    return line.strip()


def properties_of(text: str) -> tuple[str, ...]:
    """Returns a note's frontmatter, without title, tags, language and dates, as `key: value` lines.

    First comes one `alias: …` for each other name of the note, then the other fields in their order, as many as fit
    into MAX_PROPERTIES characters. Nested fields are left out, and so are addresses and paths, which are meant for
    machines.
    """
    properties = []
    size = 0
    for line in _property_lines(text):
        size_with_line = size + len(line)
        if size_with_line <= MAX_PROPERTIES:
            properties.append(line)
            size = size_with_line
    return tuple(properties)


def aliases_in(properties: Iterable[str]) -> list[str]:
    """Returns the other names of a note among its properties."""
    return [line.removeprefix(ALIAS) for line in properties if line.startswith(ALIAS)]


def _property_lines(text: str) -> Iterator[str]:
    """Yields the lines of `properties_of`, however many there are."""
    for alias in aliases_of(text):
        yield f"{ALIAS}{alias}"

    for field, value in split(text).fields.items():
        if field.lower() in _NO_PROPERTIES:
            continue
        values = value if isinstance(value, list) else [value]
        texts = []
        for single_value in values:
            text_of_value = _property_text(single_value)
            if text_of_value:
                texts.append(text_of_value)
        if texts:
            name = _one_line(field)
            joined = ", ".join(texts)
            yield f"{name}: {joined}"


def _property_text(value: object) -> str:
    """Returns text, a number, truth or a date in one line; empty for addresses, paths and others."""
    if not isinstance(value, str | int | float | date):
        return ""
    line = _one_line(value)
    is_path = line.startswith(("/", "./", "../"))
    if is_path or "://" in line:
        return ""
    return line


def _title(fields: Mapping[str, object], body: str, stem: str) -> str:
    """Returns the frontmatter's title, else the first first-level heading, else the file's name."""
    value = fields.get("title")
    title = ""
    if isinstance(value, str | int | float | date):
        title = _one_line(value)
    if not title:
        title = _first_heading(body)
    if not title:
        title = stem
    return title[:MAX_TITLE]


def _first_heading(body: str) -> str:
    """Returns the first first-level heading without its marks; empty if there is none.

    That is a line behind `#`, or a paragraph of one line with equals signs below it.
    """
    paragraph: list[str] = []
    for line in prose(body):
        heading = _HEADING.match(line)
        if heading is not None:
            title = heading["title"].rstrip()
            return _without_closing_marks(title)
        if _UNDERLINE.match(line) and len(paragraph) == 1 and not _NO_TITLE.match(paragraph[0]):
            return paragraph[0].strip()
        if line.strip():
            paragraph = [*paragraph[-1:], line]
        else:
            paragraph = []
    return ""


def _without_closing_marks(title: str) -> str:
    """Returns a heading's title without the `#` that may close it; one within a word stays."""
    bare = title.rstrip("#")
    if not bare:
        return ""
    if bare[-1].isspace():
        return bare.rstrip()
    return title


def _tags(value: object, body: str) -> tuple[str, ...]:
    """Returns the tags of the frontmatter, then those in the text, like `#boats/repair`, each once.

    value: a list, lists in it flattened and fields skipped, or text with commas or spaces. `#` is
    dropped.
    """
    if isinstance(value, str):
        words: Iterable[str] = re.split(r"[,\s]+", value)
    else:
        words = _flat(value)
    tags: dict[str, None] = {}
    for word in words:
        clean_word = _UNKEPT.sub("", word)
        tag = clean_word.strip().lstrip("#")
        if tag:
            tags[tag[:MAX_NAME]] = None

    for line in prose(body):
        if "#" not in line:
            continue
        text = without_code(line)
        for tag in _INLINE_TAG.findall(text):
            tags[tag[:MAX_NAME]] = None
    return tuple(tags)[:MAX_TAGS]


def _flat(value: object) -> Iterator[str]:
    """Yields the texts of a list and of lists in it."""
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, str):
        yield value


@dataclass(frozen=True, slots=True)
class _Created:
    """A file's date, and the place in the file that names it; both None if it names none."""

    at: datetime | None
    source: str | None


def _created(fields: Mapping[str, object], name: str, title: str, body: str) -> _Created:
    """Returns the first readable date of a file within the supported years."""
    dates = _dates(fields, name, title, body)
    for value, source in dates:
        created_at = _readable_date(value)
        if created_at is not None:
            return _Created(created_at, source)
    return _Created(None, None)


def _readable_date(value: object) -> datetime | None:
    """Returns the time that a value names; None if it names none within the supported years."""
    parsed = _parsed(value)
    if parsed is None or not is_within_years(parsed):
        return None
    return parsed


def _dates(
    fields: Mapping[str, object],
    name: str,
    title: str,
    body: str,
) -> Iterator[tuple[object, str]]:
    """Yields what may be a file's date, the surest first, and its place.

    `created`, `date`, the days in the file's name, a line like `Created: 2024-03-05`, the one day
    that the title or a short first line names.
    """
    for field in _DATE_FIELDS:
        yield fields.get(field), "frontmatter"

    for match in _DAY_IN_NAME.finditer(name):
        numbers = match.group("year", "month", "day")
        yield "-".join(numbers), "file name"
    yield day_in(name[:MAX_TITLE]), "file name"

    lines = list(islice(prose(body), _MAX_LINES))
    yield _created_line(lines), "created line"
    yield day_in(title), "title"

    lines_with_text = filter(str.strip, lines)
    first_line = next(lines_with_text, "")
    if len(first_line) <= _MAX_DATE_LINE:
        yield day_in(first_line), "first line"


def _created_line(lines: Iterable[str]) -> str | None:
    """Returns the date of the first line like `Created: 2024-03-05`."""
    for line in lines:
        match = _CREATED_LINE.match(line)
        if match is not None:
            return match["when"]
    return None


def _parsed(value: object) -> datetime | None:
    """Returns the time of a date, a time or text, as YAML gives them; None for others.

    A time without zone is UTC.
    """
    if isinstance(value, str):
        value = _parsed_text(value.strip())
    if isinstance(value, datetime):
        if value.tzinfo:
            return value
        return value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, NOON)
    return None


def _parsed_text(text: str) -> date | None:
    """Returns the date or the time that a text names; of a text that is both, the date."""
    with suppress(ValueError):
        return date.fromisoformat(text)
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    return None


def whole_content(note: Note, path: str) -> bytes:
    """Returns a note as a file at `path`, with all its fields, even if a synced file omits some."""
    file_fields = fields_of(note.text, path)
    changed = dict(changed_fields(file_fields, note, None))
    if note.created_at != file_fields.created_at:
        changed["created"] = _day_or_time(note)
    text = with_fields(note.text, changed)
    takes_no_fields = changed and text == note.text
    if takes_no_fields:
        # Another frontmatter goes before the text's own.
        import yaml  # noqa: PLC0415 - as in shared.markdown.frontmatter

        dumped = yaml.safe_dump(
            changed,
            allow_unicode=True,
            sort_keys=False,
            width=10_000,
        )
        text = f"---\n{dumped}---\n{note.text}"
    return text.encode()


def changed_fields(
    file_fields: FileFields,
    note: Note,
    previous: FileFields | None,
) -> Mapping[str, object]:
    """Returns the fields of the note that somebody has changed, as the frontmatter is to name them.

    Fields that only stayed as they were while the text changed are left out.

    file_fields: the fields that the note's text names.
    previous: the fields of the file before; None if there is none.
    """
    if previous is None:
        previous = file_fields
    changed: dict[str, object] = {}
    if note.title not in (file_fields.title, previous.title):
        changed["title"] = note.title
    if note.tags not in (file_fields.tags, previous.tags):
        changed["tags"] = list(note.tags)
    if note.lang not in (file_fields.lang, previous.lang):
        changed["lang"] = note.lang

    names_date = file_fields.created_at is not None
    has_other_date = note.created_at != file_fields.created_at
    if names_date and has_other_date:
        changed["created"] = _day_or_time(note)
    return changed


def _day_or_time(note: Note) -> date:
    """Returns the note's creation time; a bare date if it is noon, as a bare date is read."""
    created_at = note.created_at
    if created_at.timetz() == NOON:
        return created_at.date()
    return created_at
