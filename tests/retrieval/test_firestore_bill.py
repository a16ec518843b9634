"""What a question costs on Firestore, by the adapter's own count of billed reads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from shared.adapters.firestore import FirestoreStore
from shared.domain import Filters
from tests.retrieval.library import Library, notes
from tests.retrieval.samples import days_ago

WORDS = ("alpha", "bravo", "copper", "delta", "ember", "falcon", "garnet", "harbor", "indigo", "jasper")


def test_a_question_on_firestore_is_answered_within_150_reads(firestore_store: FirestoreStore) -> None:
    with ThreadPoolExecutor(8) as executor:
        library = Library(firestore_store, executor)
        for number in range(120):
            held = [word for place, word in enumerate(WORDS, start=1) if number % place == 0]
            library.add(f"n{number:03d}", f"{' '.join(held)} number{number}", created_at=days_ago(number))
        for filters in (Filters(), Filters(vaults=("default",))):
            before = firestore_store.reads
            found = library.ask(f"What about {', '.join(WORDS)}?", filters=filters)
            reads = firestore_store.reads - before
            assert notes(found)[0] == "n000"
            assert len(found.selected) == 8
            assert reads.vector_searches == 1
            assert reads.total <= 150, (filters, reads)
