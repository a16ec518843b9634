"""Storage of documents: sessions and messages, templates, feedback, answered requests, trash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from shared.model.documents import Collection, Conversation, Cursor, Listing, Owner, Stored
from shared.model.sessions import Message
from shared.ports.pages import Page, make_token, read_token

T = TypeVar("T")


class DocumentStore(Protocol):
    """Stores documents by owner, collection and id. An owner sees its own documents alone."""

    def get(self, owner: Owner, collection: Collection[T], document_id: str) -> Stored[T]:
        """Returns a document, perhaps an expired one.

        Raises InvalidArgument for a document that cannot be read: an app wrote the named field badly, or the disk has
        changed it.
        """

    def put(self, owner: Owner, collection: Collection[T], value: T) -> None:
        """Creates the document, or replaces the one of its id. Raises TooLarge."""

    def change(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        changes: Mapping[str, object],
    ) -> bool:
        """Sets some fields and keeps the others, also while another caller changes another field.

        Returns False, having written nothing, if the document does not exist.

        changes: field -> value; for a nested dataclass a mapping of some of its fields.
        """

    def swap(
        self,
        owner: Owner,
        collection: Collection[T],
        document_id: str,
        value: T | None,
        *,
        expected: str | None,
    ) -> str | None:
        """Writes a document, or deletes it with None, if its token is still `expected`; with `expected` None, if it
        does not exist.

        Returns the new token, or None if the document was deleted. Raises Conflict, having changed nothing, if the
        document has another token; TooLarge.
        """

    def delete(self, owner: Owner, collection: Collection[T], document_id: str) -> bool:
        """Deletes a document and reports whether it existed.

        It is gone at once, and nothing can be added below it; what lies below is deleted in bounded batches. The
        owner's next deletion in the collection completes one that was interrupted.
        """

    def add_messages(
        self,
        conversation: Conversation,
        messages: Sequence[Message],
        *,
        first: str,
    ) -> bool:
        """Adds at most 20 messages to a session in one commit, so that its counts are those of its messages.

        The commit counts them, sets `updated_at` to the time of the last one and, in a session without a
        `first_question`, makes it `first`. Returns False, having written nothing, if the session does not exist.
        """

    def listing(
        self,
        owner: Owner,
        collection: Collection[T],
        *,
        limit: int,
        after: Cursor | None = None,
    ) -> Listing[T]:
        """Looks at the next documents in the order of the collection, at most `limit`, perhaps expired ones.

        More than `limit` where the last of them is damaged so that the listing could not go on behind it.
        """


def read_page(
    store: DocumentStore,
    owner: Owner,
    collection: Collection[T],
    *,
    limit: int,
    token: str | None = None,
) -> Page[T]:
    """Returns a page of a collection that is listed by id.

    Raises InvalidArgument("pageToken") for a token that no page of the collection gave.
    """
    after = None
    if token is not None:
        (document_id,) = read_token(token, collection.name)
        after = Cursor(document_id)
    listing = store.listing(owner, collection, limit=limit + 1, after=after)
    items = listing.items[:limit]
    next_cursor = listing.next
    if len(listing.items) > limit:
        next_cursor = collection.cursor(items[-1])
    next_token = None
    if next_cursor is not None:
        next_token = make_token(collection.name, next_cursor.document_id)
    return Page(items, next_token, listing.unreadable)
