"""Results for people, with hints for questions that found nothing and remarks on models that did
not answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from cli.options import CommandContext, counted
from cli.terminal import echo, echo_json
from desktop.folders.manifest import Manifest
from desktop.product.running import models_of
from shared.language.lengths import utf16_slice
from shared.markdown.lines import read_lines
from shared.markdown.plain import plain_title, with_words_of_wiki_links
from shared.markdown.printable import REPLACEMENT, printable
from shared.settings import LOCAL_TENANT

if TYPE_CHECKING:
    from rich.console import JustifyMethod

    from desktop.client.remote import HttpClient
    from desktop.folders.copies import SharedTime
    from desktop.folders.report import ImportReport
    from functions.client import ApiClient, Json

MATCHING = 0.6
"""Similarity above which a passage without a word of the query matches it all the same. The nearest
of the sample notes to 150 queries of random letters had 0.53 in the middle and 0.61 at most.
"""

NEAREST = 3
"""Passages that are shown where nothing matches well."""
LINES = (".md", ".markdown", ".txt")
"""Files whose lines are those of their notes."""

QUOTED_KIND = "quoted"
"""Value of `answerKind` in `shared.model.answers`, repeated so that commands need not load the
types behind the JSON.
"""
QUOTED = "These are quotes, not an answer: no model wrote one."
SWITCHED_ON = "`aurora model --help` says how to choose one."
"""Shown if no model is set."""

ENGLISH = "en"
NOTHING_FOUND = "nothing found"
RECONCILE = "`aurora reconcile` indexes them now."
NO_NOTES = "no_notes"
INDEX_PENDING = "index_pending"
KEYWORD_RECENCY = "keyword_recency"
"""Values of `shared.model.retrieval`, repeated so that commands need not load the types behind the
JSON.
"""

_WORD = re.compile(r"\w+")
_INDENTED_CODE = re.compile(r"(?:> ?)*+(?: {4}|\t)")

Linked: TypeAlias = "Callable[[str, Json], Text]"
"""Turns some words and the row that they name into a text that links to the row's file on a
terminal.
"""


def linked(context: CommandContext) -> Linked:
    """Returns a function that links words to files of notes that were indexed from a folder of this
    machine.
    """
    manifest = Manifest.of(context.settings().home)

    def link(words: str, row: Json) -> Text:
        file = manifest.file_of(row["noteId"], row["path"])
        if file is None:
            return Text(words, Style())
        return Text(words, Style(link=_address(file, row)))

    return link


def _address(file: Path, row: Json) -> str:
    """Returns the address of a note's file, of a PDF with the page of the passage."""
    uri = file.as_uri()
    if file.suffix.lower() != ".pdf":
        return uri
    from desktop.files.conversion import page_of  # noqa: PLC0415 - for PDFs

    page = page_of(row["path"], row.get("headingPath") or "")
    if page is None:
        return uri
    return f"{uri}#page={page}"


def _is_remote(client: ApiClient) -> TypeGuard[HttpClient]:
    """Reports whether a server answers. Its class would load HTTP, which a product in this process does without."""
    return hasattr(client, "models")


class TerminalConsole(Console):
    """rich's console for texts of notes: none is read as markup, and none acts on the terminal."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(
            stderr=stderr,
            soft_wrap=soft_wrap,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def render(
        self,
        renderable: RenderableType,
        options: ConsoleOptions | None = None,
    ) -> Iterator[Segment]:
        """Yields the segments with harmless texts. rich's own sequences are in `style` and
        `control`.
        """
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


def console() -> Console:
    """Returns the console of standard output.

    The terminal wraps its lines, so that people can copy them whole.
    """
    return TerminalConsole(soft_wrap=True)


def show_list(
    context: CommandContext,
    kind: str,
    rows: Sequence[Json],
    line: Callable[[Json], Text],
    *,
    empty: str,
) -> None:
    """Prints a line for each row, or the rows as JSON under the name `kind`.

    Only the terminal wraps the lines: ids can be copied, and read by a program.
    empty: shown if there are no rows.
    """
    if context.as_json:
        echo_json({kind: rows})
        return

    out = console()
    for row in rows:
        out.print(line(row))
    if not rows:
        out.print(empty)


def time_in_words(instant: str) -> str:
    """Returns the day and minute of an RFC 3339 time, like `2026-05-08 09:30`."""
    return instant[:16].replace("T", " ")


def show_answer(answer: Json, context: CommandContext) -> None:
    """Prints an answer and what it cites; below a refusal the nearest notes."""
    reason = _reason_in_another_language(answer)
    text = reason or as_read(answer["answer"])
    console().print(Text(text))
    _show_below(answer, context)


def as_read(markdown: str) -> str:
    """Returns the Markdown of an answer, or a whole piece of one, as a terminal shows it."""
    return with_words_of_wiki_links(without_hard_breaks(markdown))


def without_hard_breaks(markdown: str) -> str:
    """Returns Markdown without the backslashes that end its lines, outside of code: a terminal keeps lines apart."""
    written = []
    begin = 0
    for line in read_lines(markdown):
        text = markdown[line.start : line.end]
        is_escaped = text.endswith("\\\\")
        is_code = line.kind not in ("text", "item") or _INDENTED_CODE.match(text) is not None
        is_last = line.end == len(markdown)
        if text.endswith("\\") and not (is_escaped or is_code or is_last):
            written.append(markdown[begin : line.end - 1])
            begin = line.end
    written.append(markdown[begin:])
    return "".join(written)


def show_sources(answer: Json, context: CommandContext) -> None:
    """Prints everything below the text of an answer that was printed while it was written."""
    reason = _reason_in_another_language(answer)
    if reason:
        console().print(Text(reason))
    _show_below(answer, context)


def _show_below(answer: Json, context: CommandContext) -> None:
    """Prints everything below an answer's text."""
    out = console()
    meta = answer["meta"]
    refusal = meta["refusal"]
    show_time(answer)
    ranked_folders = meta.get("folders")
    if ranked_folders:
        names = [_joined("/", folder["vault"], folder["folder"]) for folder in ranked_folders]
        listing = ", ".join(names)
        out.print(Text(f"looked in, the best first: {listing}", "dim"))

    is_quoted = meta.get("answerKind") == QUOTED_KIND
    link = linked(context)
    for citation in answer["citations"]:
        _show_citation(citation, link, out, with_quote=not is_quoted)
    if is_quoted:
        problem = meta.get("writerProblem") or SWITCHED_ON
        out.print(Text(f"{QUOTED} {problem}", "dim"))

    if refusal:
        _show_help(refusal, context, out)


def _reason_in_another_language(answer: Json) -> str:
    """Returns the reason of a refusal to a question in another language than English; empty for other answers.

    The text of a refusal is English whatever the question was.
    """
    refusal = answer["meta"]["refusal"]
    if refusal is None or refusal.get("lang", ENGLISH) == ENGLISH:
        return ""
    return str(refusal["told"])


def _heading_of_nearest(refusal: Json) -> str:
    """Returns the heading of the passages below a refusal, in the language of its reason."""
    from shared.language.vocabulary import vocabulary  # noqa: PLC0415 - for refusals, with the words of a language

    answers = vocabulary(refusal.get("lang", ENGLISH)).answers
    if answers is None:
        return "The nearest notes:"
    return answers.nearest


def _show_help(refusal: Json, context: CommandContext, out: Console) -> None:
    """Prints what a person can do about a refusal, and the nearest notes."""
    hint = hint_for(refusal["reason"], context)
    if hint:
        out.print(Text(hint, "dim"))
    nearest = refusal["nearest"]
    if nearest:
        out.print(Text(f"\n{_heading_of_nearest(refusal)}", "dim"))
        show_results(nearest, context)


def _joined(separator: str, *parts: str | None) -> str:
    """Returns the parts that are not empty, with the separator between them."""
    return separator.join(part for part in parts if part)


def _show_citation(
    citation: Json,
    link: Linked,
    out: Console,
    *,
    with_quote: bool,
) -> None:
    """Prints the passage that a citation leads to, and a warning if its note has changed."""
    from shared.times.dates import date_in_words  # noqa: PLC0415 - for answers that cite, with their words of dates

    created_at = datetime.fromisoformat(citation["createdAt"])
    location = _joined(" · ", _name(citation), citation["path"], date_in_words(created_at))
    marker = (f"[{citation['cid']}]", "cyan")
    out.print(Text.assemble("  ", marker, " ", link(location, citation)))
    if with_quote:
        from shared.api.values import snippet  # noqa: PLC0415 - 150 ms for answers that a model took longer to write

        quote = snippet(citation["quote"])
        out.print(Text(f"       “{quote}”", "dim"))

    if citation["stale"]:
        out.print(Text("       the note has changed since it was read for this answer", "yellow"))


def matches_well(found: Json) -> bool:
    """Reports whether a search found a word of the query, something much like it, or the time that
    it names.
    """
    return bool(_related_rows(found))


def show_found(found: Json, context: CommandContext, *, nothing: str) -> None:
    """Prints the results of a search that match well; if none does, the few that are nearest.

    nothing: shown if no result is left.
    """
    rows = _related_rows(found)
    if not rows:
        rows = _nearest_rows(found)
        if not rows:
            console().print(Text(nothing))
            return
        console().print("Nothing matches well. The nearest notes:")

    show_time(found)
    show_results(rows, context)


def show_files(found: Json, context: CommandContext) -> None:
    """Prints the files of the notes that a search found, best first, one a line.

    A note that came from no file of this machine is printed as `vault/path`.
    """
    manifest = Manifest.of(context.settings().home)
    names = []
    for row in _related_rows(found):
        file = manifest.file_of(row["noteId"], row["path"])
        if file is None:
            names.append(_joined("/", row["vault"], row["path"] or row["noteId"]))
        else:
            names.append(str(file))

    each_once = dict.fromkeys(names)
    for name in each_once:
        echo(name)


def _related_rows(found: Json) -> list[Json]:
    """Returns the results of a search that match well; all, where the time that it names restricts it."""
    rows: list[Json] = found["results"]
    if _names_time(found):
        return rows
    return [row for row in rows if _is_related(row, MATCHING)]


def _nearest_rows(found: Json) -> list[Json]:
    """Returns the few results that may have to do with a search that nothing matches well."""
    from shared.model.retrieval import UNRELATED  # noqa: PLC0415 - whoever asks need not wait for it

    rows = [row for row in found["results"] if _is_related(row, UNRELATED)]
    return rows[:NEAREST]


def show_time(found: Json) -> None:
    """Prints how the time that a question names, if it names one, changed the search."""
    query = found["meta"].get("query") or {}
    time_range = query.get("timeRange")
    if not time_range:
        return
    effect = "ordered by nearness to"
    if time_range["restricts"]:
        effect = "restricted to"
    line = f"{effect} “{time_range['phrase']}”"
    if time_range["widened"]:
        line += f", searched further: {time_range['widened']}"
    console().print(Text(line, "dim"))


def _names_time(found: Json) -> bool:
    """Reports whether the question names a time that restricts the search."""
    time_range = found["meta"]["query"]["timeRange"]
    return time_range is not None and bool(time_range["restricts"])


def _is_related(row: Json, min_similarity: float) -> bool:
    """Reports whether a passage holds a word of the query or is more similar to it than
    `min_similarity`.
    """
    scores = row["scores"]
    return bool(scores["keyword"] > 0 or scores["similarity"] > min_similarity)


def show_results(rows: Sequence[Json], context: CommandContext) -> None:
    """Prints each passage below the line of the file where it begins, best first."""
    out = console()
    manifest = Manifest.of(context.settings().home)
    for row in rows:
        file = manifest.file_of(row["noteId"], row["path"])
        location = Text(_location(row, file), "cyan")
        if file is not None:
            link = Style(link=_address(file, row))
            location.stylize(link)
        day = row["createdAt"][:10]
        line = Text.assemble(
            location,
            "  ",
            _name(row),
            (f" · {day}", "dim"),
        )
        out.print(line)
        out.print(Text(f"    {row['snippet']}"))


def _name(row: Json) -> str:
    """Returns the title of a passage's note and the headings above the passage, each once and without its marks."""
    title = plain_title(row["title"])
    headings = [plain_title(heading.lstrip("# ")) for heading in row["headingPath"].split(" > ")]
    if headings[0] == title:
        headings = headings[1:]
    return _joined(" › ", title, *headings)


def _location(row: Json, file: Path | None) -> str:
    """Returns `path:line` of a passage; the path alone where the line is not known.

    The path is that of the file, from this folder where it is below it, else `vault/path` of the note.
    """
    if file is None:
        return _joined("/", row["vault"], row["path"] or row["noteId"])
    path = file
    if file.is_relative_to(Path.cwd()):
        path = file.relative_to(Path.cwd())
    line = _line(row, file)
    if line is None:
        return str(path)
    return f"{path}:{line}"


def _line(row: Json, file: Path) -> int | None:
    """Returns the line of a file on which a passage begins; None if the file cannot be read, or reads otherwise by now."""
    if file.suffix.lower() not in LINES:
        return None
    try:
        text = file.read_text("utf-8-sig", errors="replace")
    except OSError:  # it may be gone or closed to this person by now
        return None

    span = row["span"]
    passage = utf16_slice(text, span["start"], span["end"])
    words = _WORD.findall(row["snippet"])
    if not words or words[0] not in passage:
        return None
    text_before = utf16_slice(text, 0, span["start"])
    return text_before.count("\n") + 1


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints columns that fold if the terminal is too narrow."""
    from rich.table import Table  # noqa: PLC0415 - for lists

    table = Table(box=None, pad_edge=False)
    for heading in headings:
        justify: JustifyMethod = "right" if heading == "score" else "left"
        table.add_column(heading, overflow="fold", justify=justify)

    for row in rows:
        cells = [Text(cell) for cell in row]
        table.add_row(*cells)

    console().print(table)


def show_report(report: ImportReport) -> None:
    """Prints the counts of an import, then every file that needs a remark."""
    out = console()
    out.print(Text(_summary(report)))

    details = []
    if report.indexed and report.dates:
        sources = [f"{count} {source}" for source, count in report.dates.most_common()]
        listing = ", ".join(sources)
        details.append(f"  dates from: {listing}")
    for reason, count in report.ignored.most_common():
        details.append(f"  {count} ignored: {reason}")
    for line in details:
        out.print(Text(line, "dim"))
    if report.shared_time is not None:
        out.print(_time_of_copy(report.shared_time))

    remarks = (
        ("skipped", report.skipped),
        ("indexed with a remark", report.odd),
        ("saved, vectors pending", report.pending),
        ("failed", report.failed),
        ("kept", report.kept),
        ("conflict", report.conflicts),
    )
    for heading, files in remarks:
        for file in files:
            out.print(_remark(heading, file.path, file.reason))

    for folder in report.gone:
        path = f"{report.folder}/{folder.path}".rstrip("/")
        out.print(_remark("gone", path, folder.reason))


def _time_of_copy(shared: SharedTime) -> Text:
    """Returns the line that says when notes count as written whose files were probably copied."""
    from shared.times.dates import date_in_words  # noqa: PLC0415 - for folders that were copied

    day = date_in_words(shared.time)
    return Text.assemble(
        "  ",
        ("dates", "yellow"),
        f" {shared.files} new files name none and have one time, as a copy or a single commit leaves them: "
        f"they count as written on {day}; `created: 2024-03-05` in a file's frontmatter says otherwise",
    )


def _summary(report: ImportReport) -> str:
    """Returns the line with the counts of an import."""
    notes = counted(report.notes, "note")
    removed = f"{report.removed} removed"
    if report.removed_by_rule:
        removed += f" ({report.removed_by_rule} of them ignored from now on)"
    counts = [
        f"{report.indexed} indexed",
        f"{report.unchanged} unchanged",
        removed,
    ]
    if report.written:
        files = counted(report.written, "file")
        counts.append(f"{files} written")

    texts = counted(report.embedded, "text")
    counts.append(f"{texts} embedded in {report.seconds:.1f} s")
    listing = ", ".join(counts)
    return f"{notes} from {report.folder} into vault {report.vault}: {listing}"


def _remark(heading: str, path: str, reason: str) -> Text:
    """Returns the line of a file or folder that needs a remark; a name with a line break stays one line."""
    name = path.replace("\n", REPLACEMENT)
    return Text.assemble(
        "  ",
        (heading, "yellow"),
        f" {name}: {reason}",
    )


def hint_for(reason: str, context: CommandContext) -> str:
    """Returns what a person can do about a refusal; empty if its sentence says it all."""
    if reason == NO_NOTES:
        return _no_notes(context)
    if reason == INDEX_PENDING and not context.server:
        return RECONCILE
    return ""


def why_nothing(client: ApiClient, context: CommandContext) -> str:
    """Returns the reason why a search found nothing at all."""
    coverage = client.send("GET", "/index:coverage")
    if not coverage["notes"]:
        return _no_notes(context)
    missing = coverage["missing"]
    if not missing:
        return NOTHING_FOUND
    notes = counted(coverage["notes"], "note")
    reason = f"{NOTHING_FOUND}; {missing} of {notes} not indexed yet."
    if context.server:
        return reason
    return f"{reason} {RECONCILE}"


def _no_notes(context: CommandContext) -> str:
    """Returns the sentence that nothing was ever brought, and the command that does."""
    if context.server is not None:
        location = f"on {context.server}"
    else:
        settings = context.settings()
        store = str(settings.home)
        if settings.store == "firestore":
            store = f"Firestore ({settings.project})"
        location = f"in {store}"
        if context.tenant_id != LOCAL_TENANT:
            location = f"of tenant {context.tenant_id} in {store}"

    return f"There are no notes {location} yet: `aurora index FOLDER` brings a folder of Markdown."


def tell_who_was_away(meta: Json, client: ApiClient, *, general: bool = False) -> None:
    """Prints on standard error which models did not answer, of those that a product on this machine
    has.

    general: whether a model was to answer what the notes do not hold.
    """
    if _is_remote(client):
        models = client.models
    else:
        from shared.bootstrap import app  # noqa: PLC0415 - already loaded: it has answered

        models = models_of(app())

    if not models:
        return
    problems = []
    is_quoted = meta.get("model", "none") == models.quoter
    if models.writer and is_quoted:
        problems.append(f"{models.writer} did not write: quotes from the notes are shown instead")
    by_words_alone = meta["retrieval"]["strategy"] == KEYWORD_RECENCY
    if models.embedder and by_words_alone:
        problems.append(
            f"{models.embedder} did not answer: passages were found by their words alone",
        )

    for problem in problems:
        echo(f"aurora: {problem}; `aurora doctor` says why", err=True)
    if general and not models.writer:
        echo(
            "aurora: --general needs a model that writes, and none is set; "
            "`aurora model` says how to choose one",
            err=True,
        )


def tell_what_waits(meta: Json, client: ApiClient, context: CommandContext) -> None:
    """Prints on standard error how many notes may be missing from a search.

    Only of an embedded store, where that costs one read of a file.
    """
    if context.server is not None or context.settings().store == "firestore":
        return
    coverage = client.send("GET", "/index:coverage")
    waiting = coverage["missing"] + coverage["stale"]
    strategy = meta["retrieval"]["strategy"]
    if strategy != KEYWORD_RECENCY:  # which misses no vectors
        waiting += coverage["pendingEmbeddings"]
    if not waiting:
        return

    notes = counted(coverage["notes"], "note")
    remark = f"aurora: {waiting} of {notes} not indexed yet: they may be missing here"
    if not _is_remote(client):
        remark += f". {RECONCILE}"
    echo(remark, err=True)
