"""Question and passages -> the windows that are quoted, in their order.

1. The note that ranks first is always quoted, by its nearest window. If the question names a person or thing that it does
   not name, this is the first note that does.
2. Other notes are quoted by one window each, the nearest ones first, unless they are much weaker. Weak ones with a
   property whose value the question names, as the author of `books by Dörte Hansen`, come last.
3. If the first note has further windows that are nearer than those of all other notes, only that note is quoted.
4. Windows stand in the order of the search. Where notes state one thing differently, the newest comes first; a later note
   that probably updates the one quoted first stands before it. A question for what no longer holds turns this round.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from itertools import chain
from zoneinfo import ZoneInfo

from shared.answering.asked import AskedProperties, definitions
from shared.answering.asked_statement import AskedStatement
from shared.answering.beside import ChunkReader, passages_beside
from shared.answering.current import current_first
from shared.answering.joining import joined
from shared.answering.missing_subject import MissingSubject
from shared.answering.named_notes import NamedNotes, notes_with_all_names
from shared.answering.replacement import are_versions
from shared.answering.subject import is_on_topic
from shared.answering.updates import Update, find_update
from shared.answering.windows import ChosenWindows, Window, windows
from shared.answering.written import section_day
from shared.errors import StoreUnavailable
from shared.model.questions import Question
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder
from shared.times.series import asked_of_series

log = logging.getLogger(__name__)

FAR = 0.5
"""Passages that score below this share of the first passage's score are not read."""
FURTHER = 0.6
"""Further windows of the first note are left out below this share of its best window's nearness."""
ALONE = 0.2
"""The first note alone is quoted if its second window scores higher than all other notes' by this margin. Chosen on half
of the questions to a handbook, to pages of strangers and to chats: a smaller margin loses the right note where another
one ranks first.
"""
WEAK = 0.55
"""Another note's window is left out below this share of the best window's score. The largest value that lost no fact and
no right note on half of the questions to a handbook and to pages of strangers.
"""


def choose_windows(
    question: Question,
    retrieved: Retrieved,
    missing: MissingSubject | None,
    embedder: Embedder | None,
    reader: ChunkReader | None = None,
) -> ChosenWindows:
    """Chooses at most as many windows as the question wants quotes.

    missing: the name about which the passages do not say what is asked. embedder: with None, words alone decide.
    reader: reads where lists and tables go on that the search found in part; None to quote what was found alone.
    """
    if not retrieved.selected:
        return ChosenWindows()
    named = notes_with_all_names(question.text, retrieved)
    naming = _notes_to_quote_first(question, retrieved, missing, named)
    with_value = _notes_with_value(retrieved)

    # 1. The windows of the close passages, best first.
    definitions_of_chunk = definitions(retrieved)
    defining_texts = frozenset(chain.from_iterable(definitions_of_chunk.values()))
    close = _passages_asked_for(question, retrieved)
    if not close:
        close = _close_passages(retrieved, naming | with_value, frozenset(definitions_of_chunk))
    beside = _passages_beside(close, question, retrieved, reader)
    read = [*close, *beside]
    best_first = sorted(
        windows(
            question.text,
            close,
            retrieved,
            embedder,
            defining=defining_texts,
            beside=beside,
        ),
        key=lambda window: -window.score,
    )
    chunks_beside = frozenset([passage.chunk.chunk_id for passage in beside])
    ranked = joined(best_first, chunks_beside)
    greatest_nearness = max(window.nearness for window in ranked)
    if not is_on_topic(retrieved, greatest_nearness):
        return ChosenWindows()

    # 2. Those that are quoted, in the order of the search.
    if missing is not None:
        nearest = _choose_nearest(ranked, naming, limit=question.quotes)
        ordered_windows = _in_order_of_search(nearest, read, naming)
        return ChosenWindows(ordered_windows)
    first = _first_passage(close, naming)
    chosen = _choose_of_notes(ranked, first.chunk.note_id, with_value, limit=question.quotes)
    chosen = _in_order_of_search(chosen, read, naming)

    # 3. What is newer before what is older, or the other way round.
    near = _near_and_versions(ranked, chosen)
    asked = AskedStatement.of(question, retrieved, named)
    current = current_first(chosen, near, retrieved, asked, limit=question.quotes)
    update = find_update(first, close, question, retrieved, asked)
    if update is None:
        return current
    return _with_update(current, update, first, ranked, limit=question.quotes)


def _passages_beside(
    close: Sequence[Scored],
    question: Question,
    retrieved: Retrieved,
    reader: ChunkReader | None,
) -> list[Scored]:
    """Returns the passages in which lists and tables of the close ones go on; none if they cannot be read."""
    if reader is None:
        return []
    stems = tuple(retrieved.weights)
    try:
        return passages_beside(close, retrieved.chunks, question.tenant_id, reader, stems)
    except StoreUnavailable as error:
        log.warning("lists and tables are quoted as far as they were found: %s", error.message)
        return []


def _with_update(
    current: ChosenWindows,
    update: Update,
    first: Scored,
    ranked: Sequence[Window],
    *,
    limit: int,
) -> ChosenWindows:
    """Puts a note that probably updates the first one, or that the first one updates, before it, and gives both their day.

    Where another statement stands first already, nothing is moved.
    """
    chosen = current.windows
    if chosen[0].chunk.note_id != first.chunk.note_id:
        return current
    if update.is_probable:
        update_window = _best_window(ranked, update.passage)
        chosen = _different([update_window, *chosen], limit)
    dated_chunks = current.dated_chunks | _dated_by(update, first, chosen)
    return ChosenWindows(chosen, dated_chunks)


def _notes_to_quote_first(
    question: Question,
    retrieved: Retrieved,
    missing: MissingSubject | None,
    named: NamedNotes,
) -> frozenset[str]:
    """Returns the ids of the notes to quote first: those that contain the names in the question, where the note that ranks
    first does not, since that speaks of another.
    """
    if missing is not None:
        return missing.note_ids
    if retrieved.chunks[0].note_id in named.note_ids:
        return frozenset()
    return named.at_most(question.quotes)


def _passages_asked_for(question: Question, retrieved: Retrieved) -> list[Scored]:
    """Returns the passages of the notes that are asked for, if nothing else is to be read; otherwise none.

    These are the last or the first note of a series, or the notes that have a property and its value.
    """
    local_now = question.now.astimezone(ZoneInfo(question.zone))
    series = asked_of_series(retrieved.analysis, retrieved.chunks, local_now)
    if series is not None:
        asked_note, _ = series
        return [passage for passage in retrieved.selected if passage.chunk.note_id == asked_note]

    properties = AskedProperties(retrieved)
    asked_for = []
    for passage in retrieved.selected:
        if properties.has_key_and_value(passage.chunk):
            asked_for.append(passage)
    return asked_for


def _notes_with_value(retrieved: Retrieved) -> frozenset[str]:
    """Returns the ids of the notes with a property whose value the question names: those by an author."""
    properties = AskedProperties(retrieved)
    note_ids = set()
    for chunk in retrieved.chunks:
        if properties.has_value(chunk):
            note_ids.add(chunk.note_id)
    return frozenset(note_ids)


def _close_passages(
    retrieved: Retrieved,
    asked: frozenset[str],
    defining: frozenset[str],
) -> list[Scored]:
    """Returns the passages that score near the first one, other versions of those, the passages of the notes in `asked`
    and the chunks in `defining`.
    """
    min_score = FAR * retrieved.selected[0].score
    near = [passage for passage in retrieved.selected if passage.score >= min_score]
    close = []
    for passage in retrieved.selected:
        chunk = passage.chunk
        is_near = passage.score >= min_score
        is_asked = chunk.note_id in asked or chunk.chunk_id in defining
        # Looking for versions is slow, so only far passages are compared.
        if is_near or is_asked or _is_version_of_any(passage, near):
            close.append(passage)
    return close


def _first_passage(close: Sequence[Scored], naming: frozenset[str]) -> Scored:
    """Returns the best passage of the notes in `naming`, or else the best of all."""
    for passage in close:
        if passage.chunk.note_id in naming:
            return passage
    return close[0]


def _dated_by(update: Update, first: Scored, quoted: Iterable[Window]) -> frozenset[str]:
    """Returns the ids of the quoted chunks of a note and of its update that stand below no day; none unless both notes are
    quoted.
    """
    both_notes = {update.passage.chunk.note_id, first.chunk.note_id}
    quoted_notes = set()
    undated_chunks = set()
    for window in quoted:
        chunk = window.chunk
        if chunk.note_id not in both_notes:
            continue
        quoted_notes.add(chunk.note_id)
        if section_day(chunk) is None:
            undated_chunks.add(chunk.chunk_id)
    if quoted_notes != both_notes:
        return frozenset()
    return frozenset(undated_chunks)


def _near_and_versions(ranked: Sequence[Window], chosen: Sequence[Window]) -> list[Window]:
    """Returns the windows that are not much weaker than the best one, and those of versions of the chosen notes."""
    best = ranked[0]
    min_score = WEAK * best.score
    chosen_passages = [window.passage for window in chosen]
    near = []
    for window in ranked:
        is_near = window.score >= min_score
        if is_near or _is_version_of_any(window.passage, chosen_passages):
            near.append(window)
    return near


def _is_version_of_any(passage: Scored, passages: Iterable[Scored]) -> bool:
    """Reports whether a passage's note replaces the note of another passage, or is replaced by it."""
    for other in passages:
        if are_versions(passage.chunk, other.chunk):
            return True
    return False


def _in_order_of_search(
    chosen: Iterable[Window],
    close: Sequence[Scored],
    naming: frozenset[str],
) -> list[Window]:
    """Sorts windows by their note and passage; those of notes in `naming` come first, then those that define."""
    note_ids = [passage.chunk.note_id for passage in close]

    def place(window: Window) -> tuple[bool, bool, int, int]:
        note_id = window.chunk.note_id
        return (
            note_id not in naming,
            not window.defines,
            note_ids.index(note_id),
            close.index(window.passage),
        )

    return sorted(chosen, key=place)


def _choose_of_notes(
    ranked: Sequence[Window],
    first_note: str,
    with_value: frozenset[str],
    *,
    limit: int,
) -> list[Window]:
    """Chooses the first note's best window and the best of each other note, or several of the first note alone.

    with_value: notes with a property whose value the question names. Where room is left they are quoted, however weak
        their windows are.
    """
    # 1. The windows of the first note, and the best one of each other note.
    best_of_notes = _best_of_notes(ranked)
    best = best_of_notes.pop(first_note)
    min_nearness = FURTHER * best.nearness
    further_windows = []
    for window in ranked:
        is_of_first_note = window.chunk.note_id == first_note
        is_near = window.nearness >= min_nearness
        if is_of_first_note and is_near and window is not best:
            further_windows.append(window)

    # 2. Other notes' windows that are not much weaker, those that define first, and weak ones of
    # the notes in `with_value` last.
    min_score = WEAK * ranked[0].score
    defining_windows: list[Window] = []
    near_windows: list[Window] = []
    weak_windows: list[Window] = []
    for window in best_of_notes.values():
        if window.defines:
            defining_windows.append(window)
        elif window.score >= min_score:
            near_windows.append(window)
        elif window.chunk.note_id in with_value:
            weak_windows.append(window)

    # 3. The first note alone if it holds more than the others.
    one_a_note = _different(
        [best, *defining_windows, *near_windows, *weak_windows],
        limit + 1,
    )
    of_first_note = _different([best, *further_windows], limit + 1)
    if _first_note_suffices(of_first_note, one_a_note):
        return of_first_note[:limit]
    return one_a_note[:limit]


def _first_note_suffices(of_first_note: Sequence[Window], one_a_note: Sequence[Window]) -> bool:
    """Reports whether the first note alone is quoted: no other one is, or its second window is nearer than all others'."""
    if len(one_a_note) == 1:
        return True
    if len(of_first_note) == 1:
        return False
    best_of_others = one_a_note[1]
    min_score = best_of_others.score + ALONE
    return of_first_note[1].score >= min_score


def _best_of_notes(ranked: Iterable[Window]) -> dict[str, Window]:
    """Returns the best window of each note by the note's id, best first."""
    best_of_notes: dict[str, Window] = {}
    for window in ranked:
        best_of_notes.setdefault(window.chunk.note_id, window)
    return best_of_notes


def _choose_nearest(
    ranked: Sequence[Window],
    naming: frozenset[str],
    *,
    limit: int,
) -> list[Window]:
    """Chooses the best window of each note, of those in `naming` first; nothing around it is quoted."""
    min_score = WEAK * ranked[0].score
    naming_windows = []
    near_windows = []
    for note_id, window in _best_of_notes(ranked).items():
        if note_id in naming:
            naming_windows.append(window)
        elif window.score >= min_score:
            near_windows.append(window)
    nearest = _different([*naming_windows, *near_windows], limit)
    return [window.without_rest() for window in nearest]


def _different(ranked: Sequence[Window], limit: int) -> list[Window]:
    """Returns the first `limit` windows that do not repeat one before them."""
    different: list[Window] = []
    for window in ranked:
        if len(different) == limit:
            break
        if not any(map(window.repeats, different)):
            different.append(window)
    return different


def _best_window(ranked: Iterable[Window], passage: Scored) -> Window:
    """Returns the best window of a passage's note, or of its section if a heading names the day of that."""
    chunk = passage.chunk
    day = section_day(chunk)
    of_note = [window for window in ranked if window.chunk.note_id == chunk.note_id]
    for window in of_note:
        if section_day(window.chunk) == day:
            return window
    return of_note[0]
