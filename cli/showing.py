"""Results for people; what they can do whose question found nothing, and which models took no part in an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

import click
from rich.console import Console
from rich.style import Style
from rich.text import Text

from cli.converting import page_of
from cli.options import Place, counted, print_json
from cli.product.running import models_of
from cli.remote import HttpClient
from cli.sync.manifest import Manifest

if TYPE_CHECKING:
    from cli.sync.report import Report
    from functions.client import ApiClient, Json

MATCHING = 0.6
"""Similarity above which a passage without a word of the query matches it all the same. The nearest of the sample notes
to 150 queries of random letters had 0.53 in the middle and 0.61 at most.
"""

QUOTED_KIND = "quoted"
"""`answerKind`, as `shared.model.answers` has it; whoever asks need not wait for the types behind the JSON."""
QUOTED = "These are quotes, not an answer: no model wrote one."
SWITCHED_ON = "GEMINI_API_KEY, or OPENAI_BASE_URL with CHAT_MODEL, switches a model on."
"""Said where none is set."""

NOTHING_FOUND = "nothing found"
RECONCILE = "`aurora reconcile` indexes them now."
NO_NOTES, INDEX_PENDING, KEYWORD_RECENCY = "no_notes", "index_pending", "keyword_recency"
"""As `shared.model.retrieval` has them; whoever asks need not wait for the types behind the JSON."""

Linked: TypeAlias = "Callable[[str, Json], Text]"
"""Some words and what they name -> the words, on a terminal leading to its file."""


def linked(place: Place) -> Linked:
    """Links to the files of notes that were indexed from a folder of this machine."""
    manifest = Manifest.of(place.settings().home)

    def link(words: str, row: Json) -> Text:
        file = manifest.file_of(row["noteId"], row["path"])
        page = page_of(row["path"], row.get("headingPath") or "")
        return Text(words, Style(link=f"{file.as_uri()}#page={page}" if page else file.as_uri()) if file else Style())

    return link


def console() -> Console:
    """The console of standard output; lines are wrapped by the terminal, so that they can be copied whole."""
    return Console(highlight=False, soft_wrap=True)


def show_list(place: Place, kind: str, rows: Sequence[Json], line: Callable[[Json], Text], *, empty: str) -> None:
    """A line a row, wrapped by the terminal alone: ids can be copied, and read by a program. `empty`: said of none."""
    if place.as_json:
        print_json({kind: rows})
        return
    out = console()
    for row in rows:
        out.print(line(row))
    if not rows:
        out.print(empty)


def show_answer(answer: Json, place: Place) -> None:
    """The answer, then what it cites; with a refusal the nearest notes."""
    console().print(Text(answer["answer"]))
    show_sources(answer, place)


def show_sources(answer: Json, place: Place) -> None:
    """Everything below an answer's text."""
    out, link, quotes = console(), linked(place), answer["meta"].get("answerKind") == QUOTED_KIND
    refusal = answer["meta"]["refusal"]
    if refusal:
        from shared.language.vocabulary import vocabulary  # noqa: PLC0415 - for refusals, with the words of a language

        english = vocabulary("en").answers
        if english is None or refusal["told"] != english.refusals[refusal["reason"]]:  # which the answer says already
            out.print(Text(refusal["told"]))
    show_time(answer)
    if ranked := answer["meta"].get("folders"):
        names = ("/".join(filter(None, (each["vault"], each["folder"]))) for each in ranked)
        out.print(Text(f"looked in, the first first: {', '.join(names)}", "dim"))
    for citation in answer["citations"]:
        from shared.times.dates import date_in_words  # noqa: PLC0415 - for answers that cite, with their words of dates

        day = date_in_words(datetime.fromisoformat(citation["createdAt"]))
        where = " · ".join(filter(None, (citation["title"], citation["headingPath"], citation["path"], day)))
        out.print(Text.assemble("  ", (f"[{citation['cid']}]", "cyan"), " ", link(where, citation)))
        if not quotes:
            from shared.api.values import snippet  # noqa: PLC0415 - 150 ms for answers that a model took longer to write

            out.print(Text(f"       “{snippet(citation['quote'])}”", "dim"))
        if citation["stale"]:
            out.print(Text("       the note has changed since it was read for this answer", "yellow"))
    if quotes:
        out.print(Text(f"{QUOTED} {answer['meta'].get('writerProblem') or SWITCHED_ON}", "dim"))
    if refusal and (hint := hint_for(refusal["reason"], place)):
        out.print(Text(hint, "dim"))
    if refusal and refusal["nearest"]:
        out.print(Text("\nThe nearest notes:", "dim"))
        show_results(refusal["nearest"], place)


def matches_well(found: Json) -> bool:
    """Whether a search brought what was looked for: a word of it, something much like it, or the time it names."""
    rows = found["results"]
    return bool(rows) and (_names_time(found) or any(_speaks(row, MATCHING) for row in rows))


def show_found(found: Json, place: Place, *, matched: bool, nothing: str) -> None:
    """What a search brought, without what has nothing to do with it. `nothing`: what is said where nothing is left."""
    from shared.model.retrieval import UNRELATED  # noqa: PLC0415 - whoever asks need not wait for it

    rows = [row for row in found["results"] if _names_time(found) or _speaks(row, UNRELATED)]
    if not matched:
        console().print("Nothing matches well. The nearest notes:" if rows else Text(nothing))
    if rows:
        show_time(found)
        show_results(rows, place)


def show_time(found: Json) -> None:
    """What the time that the question names did to the search, if it names one."""
    time_range = (found["meta"].get("query") or {}).get("timeRange")
    if time_range:
        how = "restricted to" if time_range["restricts"] else "ordered by nearness to"
        further = f", searched further: {time_range['widened']}" if time_range["widened"] else ""
        console().print(Text(f"{how} “{time_range['phrase']}”{further}", "dim"))


def _names_time(found: Json) -> bool:
    time_range = found["meta"]["query"]["timeRange"]
    return time_range is not None and bool(time_range["restricts"])


def _speaks(row: Json, similarity: float) -> bool:
    scores = row["scores"]
    return bool(scores["keyword"] > 0 or scores["similarity"] > similarity)


def show_results(rows: Sequence[Json], place: Place) -> None:
    """One line a passage, best first."""
    link = linked(place)
    show_table(
        ("score", "note", "date", "passage"),
        [
            (Text(f"{row['score']:.2f}"), link(row["title"] or row["path"], row),
             Text(row["createdAt"][:10]), Text(row["snippet"]))
            for row in rows
        ],
    )  # fmt: skip


def show_table(headings: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
    """Columns that fold where the terminal is too narrow."""
    from rich.table import Table  # noqa: PLC0415 - for lists

    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", justify="right" if heading == "score" else "left")
    for row in rows:
        table.add_row(*row)
    console().print(table)


def show_report(report: Report) -> None:
    """One import: the counts, then every file that needs a word."""
    out = console()
    by_rule = f" ({report.removed_by_rule} of them ignored from now on)" if report.removed_by_rule else ""
    written = f"{counted(report.written, 'file')} written, " if report.written else ""
    out.print(
        Text(
            f"{counted(report.notes, 'note')} from {report.folder} into vault {report.vault}: "
            f"{report.indexed} indexed, {report.unchanged} unchanged, {report.removed} removed{by_rule}, "
            f"{written}{counted(report.embedded, 'text')} embedded in {report.seconds:.1f} s"
        )
    )
    if report.indexed and report.dates:
        sources = ", ".join(f"{count} {source}" for source, count in report.dates.most_common())
        out.print(Text(f"  dates from: {sources}", "dim"))
    for reason, count in report.ignored.most_common():
        out.print(Text(f"  {count} ignored: {reason}", "dim"))
    for heading, places in (
        ("skipped", report.skipped),
        ("indexed with a remark", report.odd),
        ("saved, vectors pending", report.pending),
        ("failed", report.failed),
        ("kept", report.kept),
        ("conflict", report.conflicts),
    ):
        for place in places:
            out.print(Text.assemble("  ", (heading, "yellow"), f" {place.path}: {place.reason}"))


def hint_for(reason: str, place: Place) -> str:
    """Beside the sentence that an answer's refusal is; empty: that says it all."""
    if reason == NO_NOTES:
        return _no_notes(place)
    return "" if reason != INDEX_PENDING or place.server else RECONCILE


def why_nothing(client: ApiClient, place: Place) -> str:
    """Why a search brought nothing at all."""
    coverage = client.send("GET", "/index:coverage")
    if not coverage["notes"]:
        return _no_notes(place)
    if coverage["missing"]:
        waiting = f"of {counted(coverage['notes'], 'note')} {coverage['missing']} not indexed yet"
        return f"{NOTHING_FOUND}; {waiting}. {'' if place.server else RECONCILE}".rstrip()
    return NOTHING_FOUND


def _no_notes(place: Place) -> str:
    if place.server is not None:
        where = f"on {place.server}"
    else:
        settings = place.settings()
        store = f"Firestore ({settings.project})" if settings.store == "firestore" else str(settings.home)
        where = f"of tenant {place.tenant_id} in {store}"
    return f"There are no notes {where} yet: `aurora index FOLDER` brings a folder of Markdown."


def tell_who_was_away(meta: Json, client: ApiClient) -> None:
    """On standard error, of a product on this machine: the models that are set and did not answer."""
    if isinstance(client, HttpClient):
        models = client.models
    else:
        from shared.bootstrap import app  # noqa: PLC0415 - already loaded: it has answered

        models = models_of(app())
    away = []
    if models and models.writer and meta.get("model", "none") == models.quoter:
        away.append(f"{models.writer} did not write, quotes from the notes stand in for it")
    if models and models.embedder and meta["retrieval"]["strategy"] == KEYWORD_RECENCY:
        away.append(f"{models.embedder} did not answer: passages were found by their words alone")
    for what in away:
        click.echo(f"aurora: {what}; `aurora doctor` says why", err=True)


def tell_what_waits(client: ApiClient, place: Place) -> None:
    """On standard error, where it costs one read of a file of this machine: notes whose index is not complete."""
    if place.server is not None or place.settings().store == "firestore":
        return
    coverage = client.send("GET", "/index:coverage")
    if waiting := coverage["missing"] + coverage["pendingEmbeddings"]:
        goes_on = "" if isinstance(client, HttpClient) else "; `aurora reconcile` goes on"
        notes = counted(coverage["notes"], "note")
        click.echo(f"aurora: of {notes} {waiting} still being indexed, and may be missing here{goes_on}", err=True)
