"""Sessions for every front door: keep them, begin a turn in one, record the turn once it is answered."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any

from shared.errors import Conflict, InvalidArgument, NotFound, Unavailable
from shared.indexing.state import note_revision
from shared.language.words import folded_words
from shared.model.account import Person
from shared.model.answers import Answer
from shared.model.questions import Filters, Question, Strategy, WhenNotInNotes
from shared.model.sessions import Message, Role, Session, SessionSettings, SettingsPatch, Spot
from shared.model.templates import NONE
from shared.ports.models import Writer
from shared.ports.pages import Page, make_token, read_token
from shared.ports.stores import Store, readable_note
from shared.sessions.limits import check_settings, check_title, title_of
from shared.sessions.standalone import earlier_turns, resolve
from shared.sessions.turns import Turn, as_read_now, messages_of
from shared.times.dates import is_within_years

LIFETIME = timedelta(days=1)
"""How long a page token is good."""
NEW = "new"
"""Instead of a session's id: begin one."""
SCANNED = 100
"""Sessions whose titles are looked at in one step of a search; messages of a session that are read at once."""
MAX_STEPS = 5
"""Steps that a page of a search takes."""
MAX_IMPORTED = 20
"""Messages imported at once: what a store adds in one commit."""
EXPORTED_PRECISION = timedelta(milliseconds=1)
"""Precision of the times in an export."""

_ID = re.compile("[0-9A-Za-z]{1,64}")
"""Ids of sessions; new ones have 32 hexadecimal digits."""

_ASKED = frozenset(each.name for each in fields(Question)) - {"model"}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """One person's sessions. Safe between threads."""

    person: Person = field(kw_only=False)
    store: Store
    clock: Callable[[], datetime]
    models: frozenset[str] = field(default_factory=frozenset)
    """Names of the models that a session or a request may choose."""
    rewriter: Writer | None = None
    """Makes follow-ups whole; None: a rule does."""
    longest_question: int
    defaults: SessionSettings = field(default_factory=SessionSettings)
    """Settings of a session that names none of its own."""

    def create(self, *, title: str = "", patch: SettingsPatch | None = None) -> Session:
        """Raises InvalidArgument naming `title` or `settings.…`."""
        patch, now = check_settings(patch or {}, models=self.models, inside="settings."), self.clock()
        session = Session(
            session_id=uuid.uuid4().hex,
            created_at=now,
            updated_at=now,
            title=check_title(title),
            settings=replace(self.defaults, **patch),  # type: ignore[arg-type]
        )
        self.store.create_session(self.person, session)
        return session

    def get(self, session_id: str) -> Session:
        """Raises NotFound, also for another person's session."""
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

    def import_session(self, session: Session, messages: Sequence[Message]) -> Session:
        """A session of an export, as it is here now, by its ids: what is missing is added, what is there stays. A model
        that may not be chosen here stays, and counts as none.

        `messages`: at most `MAX_IMPORTED` that follow each other, in the order of time; those that bring a session here
        begin with its first. Raises InvalidArgument.
        """
        settings = {name: value for name, value in asdict(session.settings).items() if name != "model"}
        check_settings(settings, models=self.models, inside="session.settings.")
        title, session_id = check_title(session.title, inside="session."), session.session_id
        if len({each.message_id for each in messages}) < len(messages):
            raise InvalidArgument("messages", "messages of different ids")
        first = next((title_of(each.text) for each in messages if each.role is Role.USER), "")
        unnamed = "" if title == first else title
        new = replace(session, title=unnamed, first_question=first, message_count=0)
        held: Session | None = session
        try:
            self.store.create_session(self.person, new)
        except Conflict:  # it is there
            held = self.store.get_session(self.person, session_id)
        known = self._known_messages(session_id, messages) if messages else frozenset()
        missing = [self._as_answered(each) for each in messages if each.message_id not in known]
        if missing and held:
            self.store.add_messages(self.person, session_id, missing, first=first)
            last = max(held.updated_at, session.updated_at, missing[-1].created_at)
            self.store.patch_session(self.person, session_id, {}, updated_at=last)
        return self.store.get_session(self.person, session_id) or replace(session, title=title)

    def _as_answered(self, message: Message) -> Message:
        """With the revision of each cited note, empty where the note does not hold the quote any more."""
        citations = []
        for each in message.citations:
            note = readable_note(self.store, self.person.tenant_id, each.note_id)
            holds = note is not None and each.shown["quote"] in note.text
            citations.append(replace(each, note_revision=note_revision(note) if note and holds else ""))
        return replace(message, citations=tuple(citations))

    def _known_messages(self, session_id: str, messages: Sequence[Message]) -> frozenset[str]:
        """Ids of the messages that are there from the first of these to the last."""
        found: set[str] = set()
        before = Spot(messages[-1].created_at + EXPORTED_PRECISION, "0")
        while True:
            page = self.store.list_messages(self.person, session_id, limit=SCANNED, before=before)
            found.update(each.message_id for each in page)
            if len(page) < SCANNED or page[-1].created_at < messages[0].created_at:
                return frozenset(found)
            before = Spot(page[-1].created_at, page[-1].message_id)

    def delete(self, session_id: str) -> None:
        """With its messages. Raises NotFound."""
        if not _ID.fullmatch(session_id) or not self.store.delete_session(self.person, session_id):
            raise NotFound(f"no session {session_id!r}")

    def page(self, *, limit: int, token: str | None = None, title: str = "") -> Page[Session]:
        """Last changed first; with `title` those that contain each of its words, ignoring case, width and accents. A
        page of a search may hold fewer than there are.

        Raises InvalidArgument("pageToken").
        """
        listing = f"sessions {self.person.space} {title}"
        before, wanted = self._spot(token, listing), folded_words(title).split()
        found: list[Session] = []
        for _ in range(MAX_STEPS):
            size = SCANNED if title else limit + 1
            scanned = self.store.list_sessions(self.person, limit=size, before=before)
            for session in scanned:
                if len(found) == limit:
                    return Page(tuple(found), self._token(before, listing))
                shown = folded_words(session.shown_title) if wanted else ""
                if all(word in shown for word in wanted):
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
        before = self._spot(token, listing)
        self.get(session_id)
        found = self.store.list_messages(self.person, session_id, limit=limit + 1, before=before)
        items = self._as_read_now(found[:limit])[::-1]
        more = len(found) > limit
        return Page(items, self._token(Spot(items[0].created_at, items[0].message_id), listing) if more else None)

    @contextmanager
    def turn(self, question: Question, session_id: str | None, patch: SettingsPatch) -> Iterator[Turn]:
        """A question as a request asks it -> with the settings of its session. `patch`: what the request itself sets.
        Around answering: where no answer comes of it, a session that was begun for it goes.

        `session_id` None: no session, only `patch` counts. Raises NotFound; InvalidArgument naming the request's field.
        """
        check_settings(patch, models=self.models)
        asked_at, is_new, session = self.clock(), session_id == NEW, None
        if session_id is not None:
            session = self.create() if is_new else self.get(session_id)
        settings = {**(asdict(session.settings) if session else {}), **patch}
        fields_set = {name: value for name, value in settings.items() if name in _ASKED}
        for name, choice in (("strategy", Strategy), ("when_not_in_notes", WhenNotInNotes)):
            if name in fields_set:
                fields_set[name] = choice(fields_set[name])
        if fields_set.get("template") == NONE:
            fields_set["template"] = None
        filters, model = _scoped(question.filters, settings), settings.get("model")
        # A model that was allowed once and is no more counts as none: the configured one answers.
        asked = replace(question, **fields_set, filters=filters, model=model if model in self.models else None)
        most = settings["max_history"] if session and not is_new else 0
        try:
            yield Turn(question=asked, asked_at=asked_at, session=session, max_history=most)
        except BaseException:
            if session and is_new:
                held = self.store.get_session(self.person, session.session_id)
                if held is not None and not held.message_count:  # else its answer is stored already
                    self.store.delete_session(self.person, session.session_id)
            raise

    def contextualize_question(self, turn: Turn) -> Turn:
        """The turn with its history, its question made whole. Reads the session, and may ask a model."""
        if turn.session is None or not turn.max_history:
            return turn
        question = turn.question
        newest = self.store.list_messages(self.person, turn.session.session_id, limit=turn.max_history)
        turns = earlier_turns(self._as_read_now(newest)[::-1])
        text, usage = resolve(question, turns, rewriter=self.rewriter, longest=self.longest_question)
        history, asked = tuple(each.exchange for each in turns), None if text == question.text else question.text
        return replace(turn, question=replace(question, text=text, asked=asked, history=history), usage=usage)

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
                messages_of(turn, answer, body, max(self.clock(), turn.asked_at)),
                first=title_of(turn.question.asked or turn.question.text),
            )
        except Unavailable as problem:
            log.warning("a turn was answered and not stored (%s)", type(problem).__name__)
            return False
        if not stored:
            log.info("a turn was answered whose session has been deleted")
        return stored

    def _as_read_now(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        cited = list(dict.fromkeys(each.note_id for message in messages for each in message.citations))
        live = self.store.live_records(self.person.tenant_id, cited) if cited else {}
        return tuple(as_read_now(message, live) if message.citations else message for message in messages)

    def _token(self, last: Spot | None, listing: str) -> str | None:
        """`listing` names everything that the pages must have in common: tenant, session, search."""
        now = self.clock().isoformat()
        return None if last is None else make_token(listing, now, last.moment.isoformat(), last.item_id)

    def _spot(self, token: str | None, listing: str) -> Spot | None:
        """Where the page begins; None: at the newest. Raises InvalidArgument("pageToken") for what `_token` did not
        make for this listing in the last day: a forged one may hold no time, no zone, or one that no store takes.
        """
        if token is None:
            return None
        *times, item_id = read_token(token, listing, parts=3)
        try:
            made, moment = map(datetime.fromisoformat, times)
            genuine = all(each.tzinfo and is_within_years(each) for each in (made, moment))
        except ValueError:
            genuine = False
        if not genuine:
            raise InvalidArgument("pageToken", "a token that the page before gave")
        if not timedelta(0) <= self.clock() - made <= LIFETIME:
            raise InvalidArgument("pageToken", "a token of the last 24 hours; begin the listing again")
        return Spot(moment, item_id)


def _scoped(filters: Filters, settings: Mapping[str, Any]) -> Filters:
    """With the place and the time that are set, where the request names none of its own."""
    vault, _, folder = settings.get("look_in", "").partition("/")
    if (vault or folder) and not (filters.vaults or filters.folders):
        filters = replace(filters, vaults=(vault,) if vault else (), folders=(folder,) if folder else ())
    if settings.get("window_days") and not (filters.window_days or filters.created_after or filters.created_before):
        filters = replace(filters, window_days=settings["window_days"])
    return filters
