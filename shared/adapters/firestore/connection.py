"""Requests to Firestore through its generated client: raw protobuf in and out, within a deadline, errors translated."""

from __future__ import annotations

import copy
import random
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from shared.adapters.firestore.client import client, emulator, is_too_big, translated
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
from shared.errors import Conflict, Erased, InvalidArgument, StoreRefused, StoreUnavailable
from shared.model.account import Person
from shared.model.index import IndexWrites
from shared.ports.pages import Page, make_token, read_token
from shared.tracing import add_reads

T = TypeVar("T")

DEFAULT_DATABASE = "(default)"
LOOKUP_STEP = 300
"""Documents asked for in one lookup."""
MAX_ENSURED = 10_000
AGGREGATION_STEP = 1000
"""An aggregation costs one read for each so many index entries it matches, at least one."""
_FIRST_PAUSE, _MAX_PAUSE = 0.05, 1.0
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
        self._read_seconds, self._write_seconds = read_seconds, write_seconds
        self.database = f"projects/{project}/databases/{database}"
        self.root = f"{self.database}/documents"
        self.ensured: set[str] = set()
        """Documents that `ensure` has seen, at most MAX_ENSURED."""
        self._condition: tuple[str, str | None] | None = None
        """Name and token of a document that must be as it was at every commit; None: there is no such condition."""
        # "Bearer owner" is the emulator's administrator; production overrides it with the account's own token.
        self.metadata = [("google-cloud-resource-prefix", self.database)]
        if emulator():
            self.metadata.append(("authorization", "Bearer owner"))

    def while_unchanged(self, name: str, token: str | None) -> Connection:
        """Make a connection whose commits raise Erased once the document is not as `token_of` told (None: absent)."""
        conditional = copy.copy(self)
        conditional._condition = (name, token)  # noqa: SLF001 - a copy of itself
        return conditional

    def parent(self, owner: str | Person) -> str:
        """The parent of a tenant's collections, or of a person's: the tenant, or `people/{uid}` below it.

        Raises InvalidArgument("tenantId" or "uid") for an id that Firestore cannot hold.
        """
        tenant_id = owner if isinstance(owner, str) else owner.tenant_id
        parent = f"{self.root}/{TENANTS}/{checked(tenant_id, 'tenantId')}"
        if isinstance(owner, str) or owner.is_tenant:
            return parent
        return f"{parent}/people/{checked(owner.uid, 'uid')}"

    def name(self, owner: str | Person, collection: str, document_id: str) -> str:
        """The name of a document of a tenant ("noteId") or a person ("id"). Raises InvalidArgument like `parent`."""
        field = "noteId" if isinstance(owner, str) else "id"
        return f"{self.parent(owner)}/{collection}/{checked(document_id, field)}"

    def query(self, parent: str, query: Query) -> list[Any]:
        """What the query finds below `parent`, as protobuf Documents."""
        request = protocol().RunQueryRequest(parent=parent, structured_query=query.message())
        replies = self._stream("run_query", request)
        found = [reply.document for reply in replies if reply.HasField("document")]
        self.bill(documents=max(1, len(found)), vector_searches=int(query.nearest is not None))
        return found

    def page(
        self,
        owner: str | Person,
        query: Query,
        load: Callable[[Any], T],
        *,
        limit: int,
        token: str | None,
    ) -> Page[T]:
        """A page of what the query finds by id. `load`: Document -> item. Raises InvalidArgument("pageToken")."""
        parent, collection = self.parent(owner), query.collection
        after: tuple[str, ...] = ()
        if token is not None:
            after = (
                f"{parent}/{collection}/{checked(read_token(token, collection)[0], 'pageToken')}",
            )
        found = self.query(parent, replace(query, order=(KEY,), after=after, limit=limit + 1))
        more = make_token(collection, id_of(found[limit - 1])) if len(found) > limit else None
        return Page(tuple(map(load, found[:limit])), more)

    def count(self, parent: str, query: Query, *, total: str = "") -> int:
        """How many documents the query finds below `parent`; with `total` the sum of that field of whole numbers."""
        number: int = self.aggregate(parent, query, total=total)[
            "total" if total else "count"
        ].integer_value
        return number

    def aggregate(self, parent: str, query: Query, *, average: str = "", total: str = "") -> Any:  # noqa: ANN401
        """Alias -> Value: `count`, and `average` and `total` of a field where named."""
        wanted = protocol().StructuredAggregationQuery(structured_query=query.message())
        wanted.aggregations.add(alias="count").count.SetInParent()
        if average:
            wanted.aggregations.add(alias="average").avg.field.field_path = average
        if total:
            wanted.aggregations.add(alias="total").sum.field.field_path = total
        request = protocol().RunAggregationQueryRequest(
            parent=parent, structured_aggregation_query=wanted
        )
        (reply,) = self._stream("run_aggregation_query", request)
        fields = reply.result.aggregate_fields
        self.bill(aggregations=max(1, -(-fields["count"].integer_value // AGGREGATION_STEP)))
        return fields

    def get(self, name: str, load: Callable[[Any], T]) -> T | None:
        """What `load` makes of the Document of this name; None: there is none."""
        found = self.read(name)
        return None if found is None else load(found)

    def read(self, name: str, fields: Iterable[str] | None = None) -> Any | None:  # noqa: ANN401
        """The Document of this name; None: there is none. `fields` as of `lookup`."""
        return self.lookup([name], fields).get(name)

    def lookup(self, names: Sequence[str], fields: Iterable[str] | None = None) -> dict[str, Any]:
        """Name -> Document for those that exist. `fields` None: whole documents; empty: their existence alone."""
        found: dict[str, Any] = {}
        for start in range(0, len(names), LOOKUP_STEP):
            some = list(dict.fromkeys(names[start : start + LOOKUP_STEP]))
            request = protocol().BatchGetDocumentsRequest(database=self.database, documents=some)
            if fields is not None:
                request.mask.SetInParent()
                # An empty mask would mean every field.
                request.mask.field_paths.extend(fields or ("__name__",))
            replies = self._stream("batch_get_documents", request)
            found.update(
                (reply.found.name, reply.found) for reply in replies if reply.HasField("found")
            )
            self.bill(documents=len(some))
        return found

    def bill(self, *, documents: int = 0, aggregations: int = 0, vector_searches: int = 0) -> None:  # noqa: ARG002
        """Adds what a call is billed to its request; what a vector search scans is not told."""
        add_reads(documents + aggregations)

    def commit(
        self, writes: Iterable[Any], *, patient: bool = True, counted: IndexWrites | None = None
    ) -> Any:  # noqa: ANN401
        """Commits all Writes or none, adds them to `counted`, and returns the CommitResponse.

        Raises Conflict when a precondition fails, CommitTooBig, and unless `patient` StoreUnavailable at once.

        A repeat after a lost reply is safe for writes that are guarded by a precondition, or idempotent.
        """
        request = protocol().CommitRequest(database=self.database, writes=writes)
        if self._condition is None:
            reply = self._committed(request, patient=patient)
        else:
            name, token = self._condition
            request.writes.append(expect(verify(name), token))
            try:
                reply = self._committed(request, patient=patient)
            except Conflict:
                found = self.read(name, ())
                if (None if found is None else token_of(found.update_time)) != token:
                    raise Erased from None
                raise
        if counted is not None:
            operations = [write.WhichOneof("operation") for write in request.writes]
            counted.writes += operations.count("update")  # those that verify have no operation
            counted.deletes += operations.count("delete")
        return reply

    def _committed(self, request: Any, *, patient: bool) -> Any:  # noqa: ANN401
        if patient:
            call = partial(self._call, "commit", request)
            return _raw(self._retry_within(call, self._write_seconds, guarded=True))
        with translated(guarded=True):
            return _raw(self._call("commit", request, self._write_seconds))

    def try_commit(self, writes: Iterable[Any]) -> bool:
        """Commits; returns False if a precondition failed."""
        try:
            self.commit(writes)
        except Conflict:
            return False
        return True

    def delete(self, name: str) -> bool:
        """Deletes the document; returns False if there was none."""
        return self.try_commit([delete(name, existing=True)])

    def ensure(
        self,
        writes: Sequence[Any],
        *,
        unless: str = "",
        needs: str = "",
        counted: IndexWrites | None = None,
    ) -> None:
        """Commits these Writes, the first of which makes a document, unless there is one. With `unless`, one where that
        field is true counts as none. Of many who miss it at once one makes it, and the others wait for that one:
        otherwise each would write it, as slowly as one document takes writes. Its name is then in `ensured`.

        `needs`: a document that must exist at that commit. Raises Conflict when it is gone. `counted` as of `commit`.
        """
        first, deadline = writes[0], time.monotonic() + self._write_seconds
        name = first.update.name
        while True:
            found = self.read(name, (unless,) if unless else ())
            if found is not None and not (unless and found.fields[unless].boolean_value):
                break
            expect(first, None if found is None else token_of(found.update_time))
            try:
                conditions = [verify(needs)] if needs else []
                self.commit([*writes, *conditions], patient=False, counted=counted)
                break
            except Conflict:
                if needs and self.read(needs, ()) is None:
                    raise
            except StoreUnavailable as away:
                if isinstance(away, StoreRefused) or time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(0, _MAX_PAUSE))  # noqa: S311 - so that not all look at once again
        if len(self.ensured) >= MAX_ENSURED:
            self.ensured.clear()
        self.ensured.add(name)

    def write_each(self, writes: Sequence[Any]) -> None:
        """Every one of the Writes for itself, in any order, so that they share no limit of a commit. For at most 500
        that are idempotent and of different documents. Raises StoreUnavailable when some still fail at the deadline.
        """
        deadline, waiting, pause = (
            time.monotonic() + self._write_seconds,
            list(writes),
            _FIRST_PAUSE,
        )
        while True:
            request = protocol().BatchWriteRequest(database=self.database, writes=waiting)
            left = max(0.1, deadline - time.monotonic())
            reply = _raw(self._retry_within(partial(self._call, "batch_write", request), left))
            waiting = [
                write for write, status in zip(waiting, reply.status, strict=True) if status.code
            ]
            if not waiting:
                return
            if time.monotonic() + pause > deadline:
                raise StoreUnavailable(f"Firestore: {len(waiting)} of {len(writes)} writes failed")
            time.sleep(pause)
            pause = min(2 * pause, _MAX_PAUSE)

    def _stream(self, method: str, request: Any) -> list[Any]:  # noqa: ANN401
        """Every message of the reply; a stream that breaks off is asked for again from its beginning."""
        return self._retry_within(
            lambda left: [_raw(each) for each in self._call(method, request, left)],
            self._read_seconds,
        )

    def _call(self, method: str, request: Any, seconds: float) -> Any:  # noqa: ANN401
        from google.cloud.firestore_v1 import types  # noqa: PLC0415

        wrapped = getattr(types, type(request).__name__).wrap(request)
        # retry=None: the client's own policy repeats for up to five minutes.
        return getattr(client(), method)(
            request=wrapped, retry=None, timeout=seconds, metadata=self.metadata
        )

    def _retry_within(
        self, call: Callable[[float], T], seconds: float, *, guarded: bool = False
    ) -> T:
        """The result of `call`, made again while the server is away or too busy and the deadline allows.

        `call` gets the seconds that are left. Raises ours.
        """
        from google.api_core import exceptions, retry  # noqa: PLC0415

        deadline = time.monotonic() + seconds
        kinds = (exceptions.ServiceUnavailable, exceptions.Aborted, exceptions.ResourceExhausted)

        def passes(error: BaseException) -> bool:
            return isinstance(error, kinds) and not is_too_big(error)

        attempts = retry.Retry(passes, initial=_FIRST_PAUSE, maximum=_MAX_PAUSE, timeout=seconds)
        with translated(guarded=guarded):
            return attempts(lambda: call(max(0.1, deadline - time.monotonic())))()


def checked(value: str, field: str) -> str:
    """The value itself. Raises InvalidArgument of `field` for what Firestore cannot hold as an id."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= 1500 or "/" in value or "\0" in value or _RESERVED.fullmatch(value):
        raise InvalidArgument(
            field, "1 to 1500 bytes of UTF-8 without slash, and not '.', '..' or '__…__'"
        )
    return value


def _raw(message: Any) -> Any:  # noqa: ANN401
    """The protobuf message inside the library's wrapper."""
    return type(message).pb(message)
