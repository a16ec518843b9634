"""Conversion of other files into Markdown by the libraries of the extra `files`.

Their title, tags and date go into frontmatter, where every reader of notes looks for them.
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
"""Bytes of a file: larger ones hold pictures."""
MAX_SECONDS = 30.0
"""Seconds that the conversion of a file may take."""
MAX_MEMORY = 1 << 30
"""Bytes of address space for the conversion of a file."""
MAX_TEXT = 10_000_000
"""Characters of text in a file."""
PAGE = "Page"
"""Heading of a page of a PDF, before its number: a citation names the page and opens it."""

_CORE = "docProps/core.xml"
_PAGE = re.compile(rf"## {PAGE} (\d+)")
_PAGE_LINE = re.compile(rf"^## {PAGE} \d+$", re.MULTILINE)
_PDF_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_SPACES = re.compile(r"[ \t]+\n")
_BLANK = re.compile(r"\n{3,}")
_ORG_FIELD = re.compile(r"^#\+(title|filetags|date):[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE)
_ORG_LINE = re.compile(r"^#\+(?!begin|end)\w+:.*\n?", re.IGNORECASE | re.MULTILINE)
_ORG_BLOCK = re.compile(
    r"^[ \t]*#\+begin_(?:src|example)[ \t]*(\w*).*$",
    re.IGNORECASE | re.MULTILINE,
)
_ORG_BLOCK_END = re.compile(r"^[ \t]*#\+end_(?:src|example)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_ORG_LINK = re.compile(r"\[\[([^\]\n]+)\](?:\[([^\]\n]+)\])?\]")
_ORG_STAMP = re.compile(r"\d{4}-\d\d-\d\d")


class Unreadable(Exception):
    """File from which no text can be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Converter:
    """A kind of files, and the function that converts them."""

    name: str
    module: str
    """Name of the library that must be installed."""
    read: Callable[[bytes], str]
    """Returns the Markdown of a file. Raises Unreadable."""

    @property
    def is_there(self) -> bool:
        """Reports whether the library is installed."""
        try:
            return importlib.util.find_spec(self.module) is not None
        except ModuleNotFoundError:
            return False


def converter_for(path: PurePath | str) -> Converter | None:
    """Returns the converter of a file; None if files of this name are not converted."""
    return CONVERTERS.get(PurePath(path).suffix.lower())


def page_of(path: str, heading_path: str) -> int | None:
    """Returns the page that a passage of a PDF is on; None for another file or an unknown page."""
    if not path.lower().endswith(".pdf"):
        return None
    heading = _PAGE.search(heading_path)
    return int(heading[1]) if heading else None


def text_of(converter: Converter, raw: bytes) -> str:
    """Returns the Markdown of a file.

    The file is read in a process of its own, since a small one can ask for any amount of time and
    memory. Raises Unreadable, also if it takes more than MAX_SECONDS, MAX_MEMORY or MAX_TEXT.
    """
    context = _processes()
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=_convert,
        args=(sender, converter, raw),
        daemon=True,
    )
    process.start()
    sender.close()
    try:
        if not receiver.poll(MAX_SECONDS):
            raise Unreadable(f"reading it takes longer than {MAX_SECONDS:g} s")
        text, problem = receiver.recv()
    except EOFError:  # killed by the system or by its library, whose allocations fail
        problem = f"no {converter.name} that can be read in {MAX_MEMORY >> 20} MB of memory"
    finally:
        process.kill()
        process.join()
        receiver.close()

    if problem:
        raise Unreadable(problem)
    return str(text)


@cache
def _processes() -> ForkServerContext | SpawnContext:
    """Returns the way in which processes are started.

    Where there is `fork`, a server that has loaded the libraries forks them in milliseconds each.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    libraries = {converter.module for converter in CONVERTERS.values()}
    context.set_forkserver_preload(["__main__", __name__, *sorted(libraries)])
    return context


def _convert(sender: Connection, converter: Converter, raw: bytes) -> None:
    """Converts a file in the process of its own, and sends (text, problem)."""
    with suppress(ImportError, ValueError, OSError):  # Windows has none, macOS refuses
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))

    try:
        text = _read(converter, raw)
    except MemoryError:
        return
    except Unreadable as error:
        sender.send(("", str(error)))
        return

    if len(text) > MAX_TEXT:
        sender.send(("", f"it holds more than {MAX_TEXT:,} characters of text"))
        return

    sender.send((text, ""))


def _read(converter: Converter, raw: bytes) -> str:
    """Returns the Markdown of a file without superfluous blanks. Raises Unreadable, MemoryError."""
    try:
        text = converter.read(raw)
    except (Unreadable, MemoryError):
        raise
    except Exception as error:
        # A damaged file raises whatever its library happens to stumble over: pypdf alone has dozens of ways.
        raise Unreadable(
            f"no {converter.name} that can be read ({type(error).__name__})",
        ) from error

    from shared.markdown.frontmatter import split  # noqa: PLC0415 - for those who convert

    text = text.replace("\0", "")
    text = _SPACES.sub("\n", text)
    text = _BLANK.sub("\n\n", text).strip()
    body = text[split(text).body_start :]
    if not _PAGE_LINE.sub("", body).strip():
        reason = "there is no text in it"
        if converter.name == "PDF":
            reason += "; is it a scan?"
        raise Unreadable(reason)

    return f"{text}\n"


def _with_fields(fields: Mapping[str, object], text: str) -> str:
    """Returns the text with the fields that are not empty as frontmatter before it."""
    values = {name: value for name, value in fields.items() if value}
    if not values:
        return text
    import yaml  # noqa: PLC0415 - as in shared.markdown.frontmatter

    frontmatter = yaml.safe_dump(
        values,
        allow_unicode=True,
        sort_keys=False,
        width=10_000,
    )
    return f"---\n{frontmatter}---\n{text}"


def _pdf(raw: bytes) -> str:
    """Returns the Markdown of a PDF, with a section for each page."""
    import pypdfium2  # noqa: PLC0415 - an extra

    document = pypdfium2.PdfDocument(raw)
    try:
        sections = []
        for number, page in enumerate(document, 1):
            text = page.get_textpage().get_text_bounded().replace("\r\n", "\n")
            sections.append(f"## {PAGE} {number}\n\n{text}")
        metadata = document.get_metadata_dict()
    finally:
        document.close()

    created = _PDF_DATE.match(metadata.get("CreationDate", ""))
    fields = {"title": metadata.get("Title", "").strip()}
    if created:
        fields["created"] = "-".join(created.groups())
    return _with_fields(fields, "\n\n".join(sections))


def _docx(raw: bytes) -> str:
    """Returns the Markdown of a Word document, with its title and day of creation."""
    import mammoth  # noqa: PLC0415 - an extra

    no_image = mammoth.images.img_element(lambda _: {"src": ""})
    html = mammoth.convert_to_html(io.BytesIO(raw), convert_image=no_image).value
    core = b"<none/>"
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        if _CORE in archive.namelist():
            core = archive.read(_CORE)

    properties = {}
    for element in ET.fromstring(core):  # noqa: S314 - in a process with limits
        name = element.tag.rpartition("}")[2]
        properties[name] = (element.text or "").strip()

    fields = {"title": properties.get("title"), "created": properties.get("created", "")[:10]}
    return _with_fields(fields, _markdown(html))


def _html(raw: bytes) -> str:
    """Returns the Markdown of a page, with its title and date, without what is not shown (scripts,
    styles, the head).
    """
    from bs4 import BeautifulSoup  # noqa: PLC0415 - an extra

    page = BeautifulSoup(raw, "html.parser")
    fields: dict[str, object] = {}
    if page.title:
        fields["title"] = page.title.get_text(strip=True)
    date = page.find(
        "meta",
        attrs={"name": re.compile(r"^(date|dcterms\.created)$", re.IGNORECASE)},
    )
    if date:
        fields["created"] = date.get("content")
    for hidden in page(["script", "style", "head", "template", "noscript"]):
        hidden.decompose()
    return _with_fields(fields, _markdown(str(page)))


def _markdown(html: str) -> str:
    """Returns the Markdown of HTML, without images."""
    import markdownify  # noqa: PLC0415 - an extra

    return str(
        markdownify.markdownify(
            html,
            heading_style="ATX",
            bullets="-",
            strip=["img"],
        ),
    )


def _org(raw: bytes) -> str:
    """Returns the Markdown of an Org file, without drawers, planning lines and keywords."""
    import orgparse  # noqa: PLC0415 - an extra

    text = decoded(raw).replace("\r\n", "\n")
    keywords = {name.lower(): value.strip() for name, value in _ORG_FIELD.findall(text)}
    day = _ORG_STAMP.search(keywords.get("date", ""))
    fields = {
        "title": keywords.get("title"),
        "tags": [tag for tag in re.split(r"[:\s]+", keywords.get("filetags", "")) if tag],
    }
    if day:
        fields["created"] = day[0]

    root = orgparse.loads(_ORG_LINE.sub("", text))
    parts = []
    for node in root:
        if node.level:
            parts.append(f"{'#' * min(node.level, 6)} {node.get_heading(format='raw')}")
        parts.append(dedent(node.get_body(format="raw")))

    markdown = "\n\n".join(parts)
    markdown = _ORG_BLOCK.sub(r"```\1", markdown)
    markdown = _ORG_BLOCK_END.sub("```", markdown)
    markdown = _ORG_LINK.sub(_markdown_link, markdown)
    return _with_fields(fields, markdown)


def _markdown_link(link: re.Match[str]) -> str:
    """Returns a link of an Org file as Markdown writes it."""
    if link[2]:
        return f"[{link[2]}]({link[1]})"
    return link[1]


def decoded(raw: bytes) -> str:
    """Returns the text of a file in UTF-8. Raises Unreadable."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 at byte {error.start}: save it as UTF-8") from error


CONVERTERS: Mapping[str, Converter] = {
    ".pdf": Converter("PDF", "pypdfium2", _pdf),
    ".docx": Converter("Word document", "mammoth", _docx),
    ".html": Converter("HTML", "markdownify", _html),
    ".htm": Converter("HTML", "markdownify", _html),
    ".org": Converter("Org file", "orgparse", _org),
}
"""Converters by ending of the file's name. Plain text is read as Markdown is, see `desktop.files.reading`."""
