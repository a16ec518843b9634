"""Passages -> the passages beside them in which their lists and tables go on, and which the search did not find.

A list of two passages, of which one was found, looks whole without the other: its items are not quoted, and nothing says
so. The index is asked for the neighbours of such a passage by their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Protocol

from shared.language.lengths import tokens
from shared.markdown.lines import read_lines
from shared.markdown.outline import Outline
from shared.model.index import IndexedChunk, chunk_id_of
from shared.model.retrieval import Scored
from shared.ports.freshness import revision_of

MAX_READ = 8
"""Most chunks that are read for one question; each is a billed read on Firestore."""
MIN_CUT = 100
"""Fewest tokens of a passage whose list or table may go on: sections are not cut into shorter ones."""
ROUNDS = 2
"""Most reads, one after the other: the second is for a list that goes on beyond the neighbours."""


class ChunkReader(Protocol):
    """Reads chunks of the index."""

    def read_chunks(
        self,
        tenant_id: str,
        chunk_ids: Sequence[str],
        *,
        stems: Sequence[str],
    ) -> Sequence[IndexedChunk]:
        """Reads chunks by their ids, see SearchStore."""
        ...


def passages_beside(
    passages: Sequence[Scored],
    known: Iterable[IndexedChunk],
    tenant_id: str,
    reader: ChunkReader,
    stems: Sequence[str],
) -> list[Scored]:
    """Returns the passages in which lists and tables of some passages go on, with the scores of these.

    Reads at most MAX_READ chunks, for the first passages first. Raises StoreUnavailable.

    known: chunks that were found, which are not read again.
    """
    known_ids = {chunk_id_of(chunk.note_id, chunk.position) for chunk in known}
    beside = []
    nearest: Sequence[Scored] = passages
    room = MAX_READ
    for _ in range(ROUNDS):
        # 1. The chunks beside them of which nothing is known. One may lie between two of them.
        neighbours_of: dict[str, list[Scored]] = {}
        for passage in nearest:
            for position in _positions_beside(passage.chunk):
                chunk_id = chunk_id_of(passage.chunk.note_id, position)
                if chunk_id in neighbours_of:
                    neighbours_of[chunk_id].append(passage)
                elif chunk_id not in known_ids and len(neighbours_of) < room:
                    neighbours_of[chunk_id] = [passage]
        if not neighbours_of:
            break

        # 2. What stands there, if the list or table does go on.
        room -= len(neighbours_of)
        known_ids.update(neighbours_of)
        chunks = reader.read_chunks(tenant_id, list(neighbours_of), stems=stems)
        nearest = _going_on(chunks, neighbours_of)
        beside += nearest
    return beside


def _going_on(
    chunks: Iterable[IndexedChunk],
    neighbours_of: Mapping[str, Sequence[Scored]],
) -> list[Scored]:
    """Returns those chunks, as passages, in which the list or table of a neighbour goes on, with that one's score."""
    going_on = []
    for chunk in chunks:
        for neighbour in neighbours_of[chunk.chunk_id]:
            if _are_of_one_block(chunk, neighbour.chunk):
                going_on.append(replace(neighbour, chunk=chunk))
                break
    return going_on


def _are_of_one_block(chunk: IndexedChunk, neighbour: IndexedChunk) -> bool:
    """Reports whether a list or table goes on from one chunk to the one beside it."""
    if revision_of(chunk) != revision_of(neighbour):
        return False  # the note is being indexed again
    before, behind = sorted((chunk, neighbour), key=attrgetter("position"))
    return continues(behind, before)


def _positions_beside(chunk: IndexedChunk) -> list[int]:
    """Returns the positions in the note at which a list or table of the chunk may go on."""
    if tokens(chunk.text) < MIN_CUT:
        return []
    positions = []
    if chunk.position > 0 and begins_in_block(chunk):
        positions.append(chunk.position - 1)
    if _may_end_in_block(chunk) and Outline(chunk.text).ends_in_block:
        positions.append(chunk.position + 1)
    return positions


def _may_end_in_block(chunk: IndexedChunk) -> bool:
    """Reports whether the last line is from a list or table, or indented: telling that costs less than an outline."""
    _, _, last_line = chunk.text.rstrip().rpartition("\n")
    is_indented = last_line[:1].isspace()
    if is_indented:
        return True
    line = next(read_lines(last_line))
    return line.kind in ("item", "row")


def continues(chunk: IndexedChunk | None, before: IndexedChunk | None) -> bool:
    """Reports whether a chunk begins in the midst of the list or table with which the one before it ends.

    False if one of them is not known.
    """
    if chunk is None or before is None:
        return False
    if chunk.heading_path != before.heading_path:
        return False
    if chunk.columns:
        return True
    begins_in_list = begins_in_block(chunk)
    overlaps = chunk.start < before.end
    may_continue = begins_in_list or overlaps
    if not may_continue or not _may_end_in_block(before):
        return False
    outline = Outline(before.text)
    if begins_in_list:
        return outline.ends_in_block
    # It may begin in the midst of an item, which both hold.
    start_in_before = chunk.start - before.start
    return outline.is_in_last_block(start_in_before)


def begins_in_block(chunk: IndexedChunk) -> bool:
    """Reports whether a chunk begins with an item of a list or in the midst of a table."""
    if chunk.columns:
        return True
    first_line, _, _ = chunk.text.partition("\n")
    return next(read_lines(first_line)).kind == "item"
