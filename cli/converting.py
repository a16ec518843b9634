"""Files that are no Markdown -> Markdown, by the libraries of the extra `files`. What they say of themselves (title,
tags, date) goes into frontmatter, where every reader of notes looks for it.
"""

from __future__ import annotations

import importlib.util
import io
import multiprocessing
import re
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import PurePath
from textwrap import dedent
from xml.etree import ElementTree as ET

MAX_BYTES = 50_000_000
"""Size of a file: what is larger is pictures."""
MAX_SECONDS, MAX_MEMORY, MAX_TEXT = 30.0, 1 << 30, 10_000_000
"""For one file: seconds, bytes of address space, characters of what is read from it."""
PAGE = "Page"
"""With its number the heading of a page of a PDF, so that a citation says and opens the page it is on."""

_CORE = "docProps/core.xml"
_PAGE = re.compile(rf"## {PAGE} (\d+)")
_PAGE_LINE = re.compile(rf"^## {PAGE} \d+$", re.MULTILINE)
_PDF_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_SPACES = re.compile(r"[ \t]+\n")
_BLANK = re.compile(r"\n{3,}")
_ORG_FIELD = re.compile(r"^#\+(title|filetags|date):[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE)
_ORG_LINE = re.compile(r"^#\+(?!begin|end)\w+:.*\n?", re.IGNORECASE | re.MULTILINE)
_ORG_BLOCK = re.compile(r"^[ \t]*#\+begin_(?:src|example)[ \t]*(\w*).*$", re.IGNORECASE | re.MULTILINE)
_ORG_BLOCK_END = re.compile(r"^[ \t]*#\+end_(?:src|example)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_ORG_LINK = re.compile(r"\[\[([^\]\n]+)\](?:\[([^\]\n]+)\])?\]")
_ORG_STAMP = re.compile(r"\d{4}-\d\d-\d\d")


class Unreadable(Exception):
    """A file of this kind from which no text can be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How files with certain endings are read."""

    name: str
    module: str
    """The library that must be installed."""
    read: Callable[[bytes], str]
    """Raises Unreadable."""

    @property
    def is_there(self) -> bool:
        try:
            return importlib.util.find_spec(self.module) is not None
        except ModuleNotFoundError:
            return False


def kind_of(path: PurePath | str) -> Kind | None:
    """None: a file of this name is not converted."""
    return KINDS.get(PurePath(path).suffix.lower())


def page_of(path: str, heading_path: str) -> int | None:
    """The page that a passage of a PDF is on; None: of another file, or not known."""
    found = _PAGE.search(heading_path) if path.lower().endswith(".pdf") else None
    return int(found[1]) if found else None


def text_of(kind: Kind, raw: bytes) -> str:
    """A file of that kind -> Markdown. It is read in a process of its own, since a small file can ask for any amount of
    time and memory. Raises Unreadable, also where it takes more than MAX_SECONDS, MAX_MEMORY or MAX_TEXT.
    """
    context = _processes()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_convert, args=(theirs, kind, raw), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(MAX_SECONDS):
            raise Unreadable(f"reading it takes longer than {MAX_SECONDS:g} s")
        text, problem = ours.recv()
    except EOFError:  # killed by the system or by its library, whose allocations fail
        problem = f"no {kind.name} that can be read in {MAX_MEMORY >> 20} MB of memory"
    finally:
        process.kill()
        process.join()
        ours.close()
    if problem:
        raise Unreadable(problem)
    return str(text)


@cache
def _processes() -> ForkServerContext | SpawnContext:
    """A server that has loaded the libraries forks the processes, in milliseconds each, where there is `fork`."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__, *sorted({kind.module for kind in KINDS.values()})])
    return context


def _convert(answer: Connection, kind: Kind, raw: bytes) -> None:
    """Runs in the process of its own; sends (text, problem)."""
    with suppress(ImportError, ValueError, OSError):  # Windows has none, macOS refuses
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    try:
        text, problem = _read(kind, raw), ""
    except MemoryError:
        return
    except Unreadable as error:
        text, problem = "", str(error)
    if len(text) > MAX_TEXT:
        text, problem = "", f"it holds more than {MAX_TEXT:,} characters of text"
    answer.send((text, problem))


def _read(kind: Kind, raw: bytes) -> str:
    try:
        text = kind.read(raw)
    except (Unreadable, MemoryError):
        raise
    except Exception as error:
        raise Unreadable(f"no {kind.name} that can be read ({type(error).__name__})") from error
    from shared.markdown.frontmatter import split  # noqa: PLC0415 - for those who convert

    plain = _BLANK.sub("\n\n", _SPACES.sub("\n", text.replace("\0", ""))).strip()
    if not _PAGE_LINE.sub("", plain[split(plain).body_start :]).strip():
        raise Unreadable("there is no text in it; is it a scan?" if kind.name == "PDF" else "there is no text in it")
    return f"{plain}\n"


def _with_fields(fields: Mapping[str, object], text: str) -> str:
    """Fields that are not empty, as frontmatter before the text."""
    said = {name: value for name, value in fields.items() if value}
    if not said:
        return text
    import yaml  # noqa: PLC0415 - as in shared.markdown.frontmatter

    return f"---\n{yaml.safe_dump(said, allow_unicode=True, sort_keys=False, width=10_000)}---\n{text}"


def _pdf(raw: bytes) -> str:
    """A section a page."""
    import pypdfium2  # noqa: PLC0415 - an extra

    document = pypdfium2.PdfDocument(raw)
    try:
        pages = [page.get_textpage().get_text_bounded().replace("\r\n", "\n") for page in document]
        about = document.get_metadata_dict()
    finally:
        document.close()
    made = _PDF_DATE.match(about.get("CreationDate", ""))
    fields = {"title": about.get("Title", "").strip(), "created": "-".join(made.groups()) if made else None}
    return _with_fields(fields, "\n\n".join(f"## {PAGE} {at}\n\n{text}" for at, text in enumerate(pages, 1)))


def _docx(raw: bytes) -> str:
    import mammoth  # noqa: PLC0415 - an extra

    no_image = mammoth.images.img_element(lambda _: {"src": ""})
    html = mammoth.convert_to_html(io.BytesIO(raw), convert_image=no_image).value
    with zipfile.ZipFile(io.BytesIO(raw)) as file:  # title and day of creation, as Word keeps them
        core = file.read(_CORE) if _CORE in file.namelist() else b"<none/>"
    properties = ET.fromstring(core)  # noqa: S314 - in a process with limits
    said = {each.tag.rpartition("}")[2]: (each.text or "").strip() for each in properties}
    fields = {"title": said.get("title"), "created": said.get("created", "")[:10]}
    return _with_fields(fields, _markdown(html))


def _html(raw: bytes) -> str:
    """The title goes into the frontmatter; what is not shown (scripts, styles, the head) goes."""
    from bs4 import BeautifulSoup  # noqa: PLC0415 - an extra

    page = BeautifulSoup(raw, "html.parser")
    title = page.title.get_text(strip=True) if page.title else ""
    date = page.find("meta", attrs={"name": re.compile(r"^(date|dcterms\.created)$", re.IGNORECASE)})
    for hidden in page(["script", "style", "head", "template", "noscript"]):
        hidden.decompose()
    return _with_fields({"title": title, "created": date.get("content") if date else None}, _markdown(str(page)))


def _markdown(html: str) -> str:
    import markdownify  # noqa: PLC0415 - an extra

    return str(markdownify.markdownify(html, heading_style="ATX", bullets="-", strip=["img"]))


def _org(raw: bytes) -> str:
    """Headings, code, links; drawers, planning lines and keywords go."""
    import orgparse  # noqa: PLC0415 - an extra

    text = decoded(raw).replace("\r\n", "\n")
    said = {name.lower(): value.strip() for name, value in _ORG_FIELD.findall(text)}
    stamp = _ORG_STAMP.search(said.get("date", ""))
    fields = {
        "title": said.get("title"),
        "tags": [tag for tag in re.split(r"[:\s]+", said.get("filetags", "")) if tag],
        "created": stamp[0] if stamp else None,
    }
    root = orgparse.loads(_ORG_LINE.sub("", text))
    parts = []
    for node in root:
        if node.level:
            parts.append(f"{'#' * min(node.level, 6)} {node.get_heading(format='raw')}")
        parts.append(dedent(node.get_body(format="raw")))
    fenced = _ORG_BLOCK_END.sub("```", _ORG_BLOCK.sub(r"```\1", "\n\n".join(parts)))
    return _with_fields(fields, _ORG_LINK.sub(lambda link: f"[{link[2]}]({link[1]})" if link[2] else link[1], fenced))


def decoded(raw: bytes) -> str:
    """Raises Unreadable."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 at byte {error.start}: save it as UTF-8") from error


KINDS: Mapping[str, Kind] = {
    ".pdf": Kind("PDF", "pypdfium2", _pdf),
    ".docx": Kind("Word document", "mammoth", _docx),
    ".html": Kind("HTML", "markdownify", _html),
    ".htm": Kind("HTML", "markdownify", _html),
    ".org": Kind("Org file", "orgparse", _org),
}
"""By ending. Plain text is read as Markdown is, see `cli.sync.folder`."""
EXTRA = "pip install -e '.[files]' reads it"
