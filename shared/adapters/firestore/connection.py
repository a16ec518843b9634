"""Requests to Firestore through its generated client: raw protobuf in and out, within a deadline, errors translated."""

from __future__ import annotations

import copy
import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from shared.adapters.firestore.client import client, emulator, is_too_big, translate_errors
from shared.adapters.firestore.protocol import (
    KEY,
    Query,
    delete,
    expect,
    id_of,
    protocol,
    token_of,
    verify,
)
from shared.adapters.firestore.roots import TENANTS
from shared.adapters.retry import retry_store
from shared.errors import Conflict, Erased, InvalidArgument, StoreUnavailable
from shared.model.account import Person
from shared.model.index import IndexWrites
from shared.ports.pages import Page, make_token, read_token
from shared.tracing import add_reads

T = TypeVar("T")

DEFAULT_DATABASE = "(default)"
LOOKUP_STEP = 300
"""Documents of one lookup."""
MAX_ENSURED = 10_000
"""Names that `Connection.ensured` holds."""
AGGREGATION_STEP = 1000
"""Index entries that one billed read of an aggregation covers; it is billed at least one."""
_FIRST_PAUSE = 0.05
"""Seconds before the second attempt; the pauses double from there."""
_MAX_PAUSE = 1.0
_MIN_TIMEOUT = 0.1
"""Seconds that the last attempt before a deadline gets at least."""
_RESERVED = re.compile(r"\.{1,2}|__.*__", re.DOTALL)


class Connection:
    """One database of a project."""

    def __init__(
        self,
        project: str,
        *,
        read_seconds: float,
        write_seconds: float,
        database: str = DEFAULT_DATABASE,
    ) -> None:
        self._read_seconds = read_seconds
        self._write_seconds = write_seconds
        self.database = f"projects/{project}/databases/{database}"
        self.root = f"{self.database}/documents"
        self.ensured: set[str] = set()
        """Names of documents that `ensure` has seen, at most MAX_ENSURED."""
        self._condition: tuple[str, str | None] | None = None
        """Name and token of a document that no commit may find changed; None for commits without this condition."""
        # "Bearer owner" is the emulator's administrator; production overrides it with the account's own token.
        self.metadata = [("google-cloud-resource-prefix", self.database)]
        if emulator():
            self.metadata.append(("authorization", "Bearer owner"))

    def while_unchanged(self, name: str, token: str | None) -> Connection:
        """Returns a connection whose commits raise Erased once the document has another token.

        token: from `token_of`; None if the document does not exist.
        """
        conditional = copy.copy(self)
        conditional._condition = (name, token)  # noqa: SLF001 - a copy of itself
        return conditional

    def parent(self, owner: str | Person) -> str:
        """Returns the parent of a tenant's collections, or of a person's: the tenant, or `people/{uid}` below it.

        Raises InvalidArgument("tenantId" or "uid") for an id that Firestore cannot hold.
        """
        if isinstance(owner, str):
            tenant_id = checked(owner, "tenantId")
            return f"{self.root}/{TENANTS}/{tenant_id}"
        tenant = self.parent(owner.tenant_id)
        if owner.is_tenant:
            return tenant
        uid = checked(owner.uid, "uid")
        return f"{tenant}/people/{uid}"

    def name(self, owner: str | Person, collection: str, document_id: str) -> str:
        """Returns the name of a document of a tenant or a person.

        Raises InvalidArgument like `parent`, and of "noteId" for a tenant's document, of "id" for a person's.
        """
        field = "id"
        if isinstance(owner, str):
            field = "noteId"
        parent = self.parent(owner)
        checked_id = checked(document_id, field)
        return f"{parent}/{collection}/{checked_id}"

    def query(self, parent: str, query: Query) -> list[Any]:
        """Returns the protobuf Documents that the query finds below `parent`."""
        request = protocol().RunQueryRequest(parent=parent, structured_query=query.message())
        documents = []
        for reply in self._stream("run_query", request):
            if reply.HasField("document"):
                documents.append(reply.document)

        billed_documents = max(1, len(documents))
        vector_searches = 1
        if query.nearest is None:
            vector_searches = 0
        self.bill(documents=billed_documents, vector_searches=vector_searches)
        return documents

    def find(self, owner: str | Person, query: Query) -> list[Any]:
        """Returns the protobuf Documents that the query finds in a collection of a tenant or a person."""
        return self.query(self.parent(owner), query)

    def page(
        self,
        owner: str | Person,
        query: Query,
        load: Callable[[Any], T],
        *,
        limit: int,
        token: str | None,
    ) -> Page[T]:
        """Returns a page of the documents that the query finds, by id. Raises InvalidArgument("pageToken").

        load: makes an item of a Document.
        """
        parent = self.parent(owner)
        page_query = replace(query, order=(KEY,), limit=limit + 1)
        if token is not None:
            (last_id,) = read_token(token, query.collection)
            last_id = checked(last_id, "pageToken")
            last_name = f"{parent}/{query.collection}/{last_id}"
            page_query = replace(page_query, after=(last_name,))

        documents = self.query(parent, page_query)
        documents_of_page = documents[:limit]
        next_token = None
        has_more = len(documents) > limit
        if has_more:
            last_id = id_of(documents_of_page[-1])
            next_token = make_token(query.collection, last_id)
        items = tuple(map(load, documents_of_page))
        return Page(items, next_token)

    def count(self, parent: str, query: Query, *, total: str = "") -> int:
        """Returns the number of documents that the query finds below `parent`.

        total: a field of whole numbers, whose sum is returned instead.
        """
        aggregates = self.aggregate(parent, query, total=total)
        aggregate = aggregates["total"] if total else aggregates["count"]
        number: int = aggregate.integer_value
        return number

    def aggregate(self, parent: str, query: Query, *, average: str = "", total: str = "") -> Any:  # noqa: ANN401
        """Returns the Values `count`, and `average` and `total` of the fields that these arguments name."""
        aggregation = protocol().StructuredAggregationQuery(structured_query=query.message())
        aggregation.aggregations.add(alias="count").count.SetInParent()
        if average:
            aggregation.aggregations.add(alias="average").avg.field.field_path = average
        if total:
            aggregation.aggregations.add(alias="total").sum.field.field_path = total
        request = protocol().RunAggregationQueryRequest(
            parent=parent,
            structured_aggregation_query=aggregation,
        )
        (reply,) = self._stream("run_aggregation_query", request)
        aggregates = reply.result.aggregate_fields
        entries = aggregates["count"].integer_value
        steps = math.ceil(entries / AGGREGATION_STEP)
        billed_steps = max(1, steps)
        self.bill(aggregations=billed_steps)
        return aggregates

    def read(self, name: str, fields: Iterable[str] | None = None) -> Any | None:  # noqa: ANN401
        """Returns the Document of this name; None if it does not exist. `fields`: see `lookup`."""
        documents = self.lookup([name], fields)
        return documents.get(name)

    def lookup(self, names: Sequence[str], fields: Iterable[str] | None = None) -> dict[str, Any]:
        """Returns name -> Document of the documents that exist.

        fields: field paths to read; None for whole documents, empty for their existence alone.
        """
        documents: dict[str, Any] = {}
        for start in range(0, len(names), LOOKUP_STEP):
            end = start + LOOKUP_STEP
            unique_names = list(dict.fromkeys(names[start:end]))
            request = protocol().BatchGetDocumentsRequest(
                database=self.database,
                documents=unique_names,
            )
            if fields is not None:
                request.mask.SetInParent()
                # An empty mask would mean every field.
                request.mask.field_paths.extend(fields or (KEY,))
            for reply in self._stream("batch_get_documents", request):
                if reply.HasField("found"):
                    document = reply.found
                    documents[document.name] = document
            self.bill(documents=len(unique_names))
        return documents

    def bill(self, *, documents: int = 0, aggregations: int = 0, vector_searches: int = 0) -> None:  # noqa: ARG002
        """Counts a call's billed reads for the current request; the server does not tell what a vector search scans."""
        add_reads(documents + aggregations)

    def commit(
        self,
        writes: Iterable[Any],
        *,
        patient: bool = True,
        counted: IndexWrites | None = None,
    ) -> Any:  # noqa: ANN401
        """Commits all Writes or none; returns the CommitResponse.

        Raises Conflict when a precondition fails; CommitTooBig.

        patient: True to repeat while Firestore is unavailable, which after a lost reply is safe for writes that are
            idempotent or have a precondition; False to raise StoreUnavailable at once.
        counted: counts to which the writes are added.
        """
        request = protocol().CommitRequest(database=self.database, writes=writes)
        if self._condition is not None:
            name, token = self._condition
            request.writes.append(expect(verify(name), token))
        try:
            reply = self._committed(request, patient=patient)
        except Conflict:
            if self._has_changed():
                raise Erased from None
            raise
        if counted is not None:
            operations = [write.WhichOneof("operation") for write in request.writes]
            counted.writes += operations.count("update")  # those that verify have no operation
            counted.deletes += operations.count("delete")
        return reply

    def _has_changed(self) -> bool:
        """Reports whether the document of `while_unchanged` has changed. A read, if there is such a document."""
        if self._condition is None:
            return False
        name, token = self._condition
        document = self.read(name, ())
        if document is None:
            return token is not None
        return token_of(document.update_time) != token

    def _committed(self, request: Any, *, patient: bool) -> Any:  # noqa: ANN401
        if patient:
            call = partial(self._call, "commit", request)
            return _raw(self._retry_within(call, self._write_seconds, guarded=True))
        with translate_errors(guarded=True):
            return _raw(self._call("commit", request, self._write_seconds))

    def try_commit(self, writes: Iterable[Any]) -> bool:
        """Commits; returns False if a precondition failed."""
        try:
            self.commit(writes)
        except Conflict:
            return False
        return True

    def delete(self, name: str) -> bool:
        """Deletes the document; returns False if it did not exist."""
        return self.try_commit([delete(name, existing=True)])

    def ensure(
        self,
        writes: Sequence[Any],
        *,
        unless: str = "",
        needs: str = "",
        counted: IndexWrites | None = None,
    ) -> None:
        """Commits these Writes, the first of which makes a document, unless that exists; its name is then in `ensured`.

        Of many callers that miss the document at once one makes it, and the others wait for that one: otherwise each
        would write it, as slowly as one document takes writes.

        unless: a field; a document where it is true counts as missing.
        needs: name of a document that must exist at that commit. Raises Conflict if it is gone.
        counted: counts to which the writes are added.
        """
        make = partial(
            self._make_unless_there,
            writes,
            unless=unless,
            needs=needs,
            counted=counted,
        )
        retry_store(
            make,
            first_pause=_MAX_PAUSE,  # one document takes a write a second
            max_pause=_MAX_PAUSE,
            deadline=time.monotonic() + self._write_seconds,
        )
        if len(self.ensured) >= MAX_ENSURED:
            self.ensured.clear()
        name = writes[0].update.name
        self.ensured.add(name)

    def _make_unless_there(
        self,
        writes: Sequence[Any],
        *,
        unless: str,
        needs: str,
        counted: IndexWrites | None,
    ) -> None:
        """Makes the attempt of `ensure`; looks again as long as another caller is faster."""
        making = writes[0]
        name = making.update.name
        fields = [unless] if unless else []
        conditions = [verify(needs)] if needs else []
        while True:
            document = self.read(name, fields)
            token = None
            if document is not None:
                is_there = not (unless and document.fields[unless].boolean_value)
                if is_there:
                    return
                token = token_of(document.update_time)

            expect(making, token)
            try:
                self.commit([*writes, *conditions], patient=False, counted=counted)
            except Conflict:
                if needs and self.read(needs, ()) is None:
                    raise
            else:
                return

    def write_each(self, writes: Sequence[Any]) -> None:
        """Commits each write on its own, in any order, so that no limit of a commit applies.

        Raises StoreUnavailable if some writes still fail at the deadline.

        writes: at most 500, idempotent, of different documents.
        """
        deadline = time.monotonic() + self._write_seconds
        unwritten = list(writes)

        def write_rest() -> None:
            nonlocal unwritten
            unwritten = self._failed_writes(unwritten, deadline)
            if unwritten:
                failed = len(unwritten)
                raise StoreUnavailable(f"Firestore: {failed} of {len(writes)} writes failed")

        retry_store(
            write_rest,
            first_pause=_FIRST_PAUSE,
            max_pause=_MAX_PAUSE,
            deadline=deadline,
        )

    def _failed_writes(self, writes: Sequence[Any], deadline: float) -> list[Any]:
        """Commits each write on its own, once, and returns those that failed."""
        request = protocol().BatchWriteRequest(database=self.database, writes=writes)
        call = partial(self._call, "batch_write", request)
        seconds_left = max(_MIN_TIMEOUT, deadline - time.monotonic())
        reply = _raw(self._retry_within(call, seconds_left))
        failed_writes = []
        for write, status in zip(writes, reply.status, strict=True):
            if status.code:
                failed_writes.append(write)
        return failed_writes

    def _stream(self, method: str, request: Any) -> list[Any]:  # noqa: ANN401
        """Returns all messages of the reply. A stream that breaks off is requested again from its beginning."""

        def read_all(seconds: float) -> list[Any]:
            return [_raw(message) for message in self._call(method, request, seconds)]

        return self._retry_within(read_all, self._read_seconds)

    def _call(self, method: str, request: Any, seconds: float) -> Any:  # noqa: ANN401
        from google.cloud.firestore_v1 import types  # noqa: PLC0415

        request_type = getattr(types, type(request).__name__)
        send = getattr(client(), method)
        # retry=None: the client's own policy repeats for up to five minutes.
        return send(
            request=request_type.wrap(request),
            retry=None,
            timeout=seconds,
            metadata=self.metadata,
        )

    def _retry_within(
        self,
        call: Callable[[float], T],
        seconds: float,
        *,
        guarded: bool = False,
    ) -> T:
        """Repeats `call` while Firestore is unavailable or too busy and time remains; raises errors of shared.errors.

        call: takes the seconds that are left.
        """
        from google.api_core import exceptions, retry  # noqa: PLC0415

        deadline = time.monotonic() + seconds
        temporary = (
            exceptions.ServiceUnavailable,
            exceptions.Aborted,
            exceptions.ResourceExhausted,
        )

        def is_temporary(error: BaseException) -> bool:
            return isinstance(error, temporary) and not is_too_big(error)

        def attempt() -> T:
            return call(max(_MIN_TIMEOUT, deadline - time.monotonic()))

        policy = retry.Retry(
            is_temporary,
            initial=_FIRST_PAUSE,
            maximum=_MAX_PAUSE,
            timeout=seconds,
        )
        with translate_errors(guarded=guarded):
            return policy(attempt)()


def checked(value: str, field: str) -> str:
    """Returns the value. Raises InvalidArgument(field) if Firestore cannot hold it as an id."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        size = 0
    has_valid_size = 0 < size <= 1500
    has_reserved_character = "/" in value or "\0" in value
    if not has_valid_size or has_reserved_character or _RESERVED.fullmatch(value):
        raise InvalidArgument(
            field,
            "1 to 1500 bytes of UTF-8 without slash, and not '.', '..' or '__…__'",
        )
    return value


def _raw(message: Any) -> Any:  # noqa: ANN401
    """Returns the protobuf message inside the library's wrapper."""
    return type(message).pb(message)
