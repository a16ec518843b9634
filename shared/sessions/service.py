"""What front doors ask of sessions: keep them, begin a turn in one, record the turn once it is answered."""

from __future__ import annotations

import logging
import re
import secrets
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Protocol

from shared.errors import InvalidArgument, NotFound, Unavailable
from shared.model.account import Person
from shared.model.answers import Answer, Usage
from shared.model.index import IndexRecord
from shared.model.questions import Filters, Question
from shared.model.sessions import Message, Role, Session, SessionSettings, SettingsPatch, Spot, StoredCitation
from shared.ports.models import Writer
from shared.ports.pages import Page
from shared.sessions.history import earlier_turns
from shared.sessions.limits import check_settings, check_title
from shared.sessions.reading import as_read_now, cited_notes
from shared.sessions.restoring import RestoringStore, restored
from shared.sessions.source_list import with_sources
from shared.sessions.standalone import resolve
from shared.sessions.titles import holds, title_of
from shared.sessions.tokens import page_token, read_page_token

NEW = "new"
"""Instead of a session's id: begin one."""
SCANNED = 100
"""Sessions whose titles are looked at in one step of a search, and steps a page takes at most."""
MOST_STEPS = 5

_ID = re.compile("[0-9A-Za-z]{1,64}")
"""What a session may be called: by us 32 hexadecimal digits."""

_ASKED = frozenset(each.name for each in fields(Question)) - {"model"}

log = logging.getLogger(__name__)


class SessionsStore(RestoringStore, Protocol):
    """Sessions, and what became of the notes that their answers cite."""

    def live_records(self, tenant_id: str, note_ids: list[str]) -> Mapping[str, IndexRecord]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question that has been asked and is about to be answered."""

    question: Question
    """With what the session and the request set; after `whole` also with what earlier turns leave to be understood."""
    asked_at: datetime
    session: Session | None = None
    """None: it belongs to no session."""
    is_new: bool = False
    """Whether the session was begun with this turn."""
    max_history: int = 0
    """How many of the session's messages it may refer to."""
    usage: Usage = field(default_factory=Usage)
    """What making the question whole has cost."""

    @property
    def session_id(self) -> str | None:
        return None if self.session is None else self.session.session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """One person's sessions. Safe between threads."""

    store: SessionsStore
    person: Person
    clock: Callable[[], datetime]
    models: frozenset[str] = field(default_factory=frozenset)
    """Those that may be chosen."""
    rewriter: Writer | None = None
    """Makes follow-ups whole; None: a rule does."""
    longest_question: int

    def create(self, *, title: str = "", patch: SettingsPatch | None = None) -> Session:
        """Raises InvalidArgument naming `title` or `settings.…`."""
        patch = check_settings(patch or {}, models=self.models, inside="settings.")
        return self._create(check_title(title), replace(SessionSettings(), **patch))  # type: ignore[arg-type]

    def _create(self, title: str, settings: SessionSettings) -> Session:
        now = self.clock()
        session = Session(session_id=uuid.uuid4().hex, created_at=now, updated_at=now, title=title, settings=settings)
        self.store.create_session(self.person, session)
        return session

    def get(self, session_id: str) -> Session:
        """Raises NotFound, also for somebody else's session."""
        session = self.store.get_session(self.person, session_id) if _ID.fullmatch(session_id) else None
        if session is None:
            raise NotFound(f"no session {session_id!r}")
        return session

    def change(self, session_id: str, *, title: str | None = None, patch: SettingsPatch | None = None) -> Session:
        """Change what is given. An empty title: the first question names it. Raises NotFound, InvalidArgument."""
        patch = check_settings(patch or {}, models=self.models, inside="settings.")
        name = None if title is None else check_title(title)
        self.get(session_id)
        self.store.patch_session(self.person, session_id, patch, updated_at=self.clock(), title=name)
        return self.get(session_id)

    def bring(self, session: Session, messages: Sequence[Message]) -> Session:
        """A session of an export, as `restored` says; a model that may not be chosen here stays, and counts as none.

        Raises InvalidArgument.
        """
        settings = {name: value for name, value in asdict(session.settings).items() if name != "model"}
        check_settings(settings, models=self.models, inside="session.settings.")
        named = replace(session, title=check_title(session.title, inside="session."))
        if len({each.message_id for each in messages}) < len(messages):
            raise InvalidArgument("messages", "messages of different ids")
        return restored(self.person, named, messages, store=self.store)

    def delete(self, session_id: str) -> None:
        """With its messages. Raises NotFound."""
        if not _ID.fullmatch(session_id) or not self.store.delete_session(self.person, session_id):
            raise NotFound(f"no session {session_id!r}")

    def page(self, *, limit: int, token: str | None = None, title: str = "") -> Page[Session]:
        """Last changed first; with `title` those that are called so. A page of a search may hold fewer than there are.

        Raises InvalidArgument("pageToken").
        """
        listing = f"sessions {self.person.space} {title}"
        before = None if token is None else read_page_token(token, listing=listing, now=self.clock())
        found: list[Session] = []
        for _ in range(MOST_STEPS):
            size = SCANNED if title else limit + 1
            scanned = self.store.list_sessions(self.person, limit=size, before=before)
            for session in scanned:
                if len(found) == limit:
                    return Page(tuple(found), self._token(before, listing))
                if holds(session.shown_title, title):
                    found.append(session)
                before = Spot(session.updated_at, session.session_id)
            if len(scanned) < size:
                return Page(tuple(found), None)
        return Page(tuple(found), self._token(before, listing))

    def messages(self, session_id: str, *, limit: int, token: str | None = None) -> Page[Message]:
        """The newest page first, each in the order of time; citations as they are now.

        Raises NotFound, InvalidArgument("pageToken").
        """
        listing = f"messages {self.person.space} {session_id}"
        before = None if token is None else read_page_token(token, listing=listing, now=self.clock())
        self.get(session_id)
        found = self.store.list_messages(self.person, session_id, limit=limit + 1, before=before)
        items = self._as_read_now(found[:limit])[::-1]
        more = len(found) > limit
        return Page(items, self._token(Spot(items[0].created_at, items[0].message_id), listing) if more else None)

    def begin(self, question: Question, session_id: str | None, patch: SettingsPatch) -> Turn:
        """A question as a request asks it -> with the settings of its session. `patch`: what the request itself sets.

        `session_id` None: no session, only `patch` counts. Raises NotFound; InvalidArgument naming the request's field.
        """
        check_settings(patch, models=self.models)
        asked_at = self.clock()
        if session_id is None:
            return Turn(question=self._with_settings(question, patch), asked_at=asked_at)
        is_new = session_id == NEW
        session = self._create("", SessionSettings()) if is_new else self.get(session_id)
        settings = {**asdict(session.settings), **patch}
        asked = self._with_settings(question, settings)
        most = 0 if is_new else settings["max_history"]
        return Turn(question=asked, asked_at=asked_at, session=session, is_new=is_new, max_history=most)

    def _with_settings(self, question: Question, settings: Mapping[str, Any]) -> Question:
        """A model that was allowed once and is no more counts as none: the configured one answers."""
        asked = {name: value for name, value in settings.items() if name in _ASKED}
        model = settings.get("model")
        filters = _scoped(question.filters, settings)
        return replace(question, **asked, filters=filters, model=model if model in self.models else None)

    def whole(self, turn: Turn) -> Turn:
        """The turn with its history, its question made whole. Reads the session, and may ask a model."""
        if turn.session is None or not turn.max_history:
            return turn
        question = turn.question
        newest = self.store.list_messages(self.person, turn.session.session_id, limit=turn.max_history)
        turns = earlier_turns(self._as_read_now(newest)[::-1])
        found = resolve(question, turns, rewriter=self.rewriter, longest=self.longest_question)
        asked = replace(
            question,
            text=found.text,
            asked=None if found.text == question.text else question.text,
            history=tuple(each.exchange for each in turns),
        )
        return replace(turn, question=asked, usage=found.usage)

    def record(self, turn: Turn, answer: Answer, body: Mapping[str, Any]) -> bool:
        """Store the answered turn. `body`: the JSON object that the caller gets.

        False if nothing is stored, because the session has been deleted meanwhile or the store is away: the answer
        is delivered all the same.
        """
        if turn.session is None:
            return False
        try:
            stored = self.store.add_messages(
                self.person,
                turn.session.session_id,
                _messages(turn, answer, body, max(self.clock(), turn.asked_at)),
                first=title_of(turn.question.asked or turn.question.text),
            )
        except Unavailable as problem:
            log.warning("a turn was answered and not stored (%s)", type(problem).__name__)
            return False
        if not stored:
            log.info("a turn was answered whose session has been deleted")
        return stored

    @contextmanager
    def turn(self, question: Question, session_id: str | None, patch: SettingsPatch) -> Iterator[Turn]:
        """`begin`, around answering: where no answer comes of it, a session that was begun for it goes."""
        turn = self.begin(question, session_id, patch)
        try:
            yield turn
        except BaseException:
            if turn.is_new:
                self._drop_if_empty(turn)
            raise

    def _drop_if_empty(self, turn: Turn) -> None:
        """A client may leave when its answer is already stored: then the session stays."""
        session = self.store.get_session(self.person, turn.session_id) if turn.session_id else None
        if session is not None and not session.message_count:
            self.store.delete_session(self.person, session.session_id)

    def _as_read_now(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        cited = cited_notes(messages)
        return as_read_now(messages, self.store.live_records(self.person.tenant_id, cited) if cited else {})

    def _token(self, last: Spot | None, listing: str) -> str | None:
        return None if last is None else page_token(last, listing=listing, now=self.clock())


def _scoped(filters: Filters, settings: Mapping[str, Any]) -> Filters:
    """With the place and the time that are set, where the request names none of its own."""
    vault, _, folder = settings.get("look_in", "").partition("/")
    if (vault or folder) and not (filters.vaults or filters.folders):
        filters = replace(filters, vaults=(vault,) if vault else (), folders=(folder,) if folder else ())
    if settings.get("window_days") and not (filters.window_days or filters.created_after or filters.created_before):
        filters = replace(filters, window_days=settings["window_days"])
    return filters


def _messages(turn: Turn, answer: Answer, body: Mapping[str, Any], now: datetime) -> tuple[Message, Message]:
    question = turn.question
    turn_id = f"{time.time_ns():016x}{secrets.token_hex(8)}"  # by time: turns of one millisecond stay in their order
    shown: list[Mapping[str, Any]] = body["citations"]
    request_id = body["meta"]["requestId"]
    revisions = {each.label: each.passage.chunk.note_revision for each in answer.citations}
    asked = Message(
        message_id=f"{turn_id}1",
        role=Role.USER,
        text=question.asked or question.text,
        created_at=turn.asked_at,
        request_id=request_id,
        standalone=question.text if question.asked else "",
        as_of=question.now,
    )
    answered = Message(
        message_id=f"{turn_id}2",
        role=Role.ASSISTANT,
        text=with_sources(answer.text, shown),
        created_at=now,
        request_id=request_id,
        citations=tuple(StoredCitation(each["noteId"], revisions[each["cid"]], each) for each in shown),
        meta=_without_passages(body["meta"]),
    )
    return asked, answered


def _without_passages(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """A refusal's nearest notes are no part of the conversation: their text would outlive them."""
    if not meta.get("refusal"):
        return meta
    return {**meta, "refusal": {**meta["refusal"], "nearest": []}}
