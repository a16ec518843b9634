"""Sessions for every front door: store them, begin a turn in one, record the turn once it is
answered.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any

from shared.errors import Conflict, InvalidArgument, NotFound, TooLarge, Unavailable
from shared.indexing.state import note_revision
from shared.language.words import folded_words
from shared.model.account import Person
from shared.model.answers import StoredAnswer
from shared.model.documents import (
    MESSAGES,
    SESSIONS,
    Conversation,
    Cursor,
    UnreadableDocument,
)
from shared.model.questions import Filters, Question, Strategy, WhenNotInNotes
from shared.model.sessions import Message, Role, Session, SessionSettings, SettingsPatch
from shared.model.templates import NONE
from shared.ports.freshness import NoteRevision, current
from shared.ports.models import Writer
from shared.ports.pages import Page, make_token, read_token
from shared.ports.stores import ConversationStore, readable_note
from shared.sessions.limits import check_settings, check_title, title_of
from shared.sessions.standalone import earlier_turns, resolve
from shared.sessions.turns import Turn, as_read_now, cited_revisions, messages_of
from shared.times.dates import is_within_years

LIFETIME = timedelta(days=1)
"""Time for which a page token is valid."""
NEW = "new"
"""Session id of a request that begins a session."""
SCANNED = 100
"""Sessions whose titles are compared in one step of a search; messages of a session that are read
at once.
"""
MAX_STEPS = 5
"""Steps that a page of a search takes, at most."""
TEXT_SCANNED = 20
"""Sessions whose messages are read in one step of a text search; a page takes at most MAX_TEXT_STEPS."""
MAX_TEXT_STEPS = 2
MAX_IMPORTED = 20
"""Messages imported at once: what a store adds in one commit."""
EXPORTED_PRECISION = timedelta(milliseconds=1)
"""Precision of the times in an export."""

_ID = re.compile("[0-9A-Za-z]{1,64}")
"""Ids of sessions; new ones have 32 hexadecimal digits."""

_QUESTION_SETTINGS = frozenset(attribute.name for attribute in fields(Question)) - {"model"}
"""Settings that a question carries under the same name."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """One person's sessions. Safe between threads."""

    person: Person = field(kw_only=False)
    store: ConversationStore
    clock: Callable[[], datetime]
    models: frozenset[str] = field(default_factory=frozenset)
    """Names of the models that a session or a request may choose."""
    rewriter: Writer | None = None
    """Rewrites follow-ups into questions that stand alone; if None, a rule does."""
    longest_question: int
    """Characters of a question."""
    defaults: SessionSettings = field(default_factory=SessionSettings)
    """Settings of a new session where its request names none."""

    def create(self, *, title: str = "", patch: SettingsPatch | None = None) -> Session:
        """Begins a session. Raises InvalidArgument naming `title` or `settings.…`."""
        patch = check_settings(patch or {}, models=self.models, inside="settings.")
        now = self.clock()
        session = Session(
            session_id=uuid.uuid4().hex,
            created_at=now,
            updated_at=now,
            title=check_title(title),
            settings=replace(self.defaults, **patch),  # type: ignore[arg-type]
        )
        self.store.swap(self.person, SESSIONS, session.session_id, session, expected=None)
        return session

    def get(self, session_id: str) -> Session:
        """Returns a session. Raises NotFound, also for another person's session."""
        session = None
        if _ID.fullmatch(session_id):
            session = self._stored(session_id)
        if session is None:
            raise NotFound(f"no session {session_id!r}")
        return session

    def change(
        self,
        session_id: str,
        *,
        title: str | None = None,
        patch: SettingsPatch | None = None,
    ) -> Session:
        """Changes title and settings, where they are given. Raises NotFound, InvalidArgument.

        title: empty to name the session by its first question.
        """
        patch = check_settings(patch or {}, models=self.models, inside="settings.")
        if title is not None:
            title = check_title(title)
        self.get(session_id)
        changes: dict[str, object] = {"updated_at": self.clock(), "settings": patch}
        if title is not None:
            changes["title"] = title
        self.store.change(self.person, SESSIONS, session_id, changes)
        return self.get(session_id)

    def import_session(self, session: Session, messages: Sequence[Message]) -> Session:
        """Adds what is missing here of an exported session, by its ids, and returns it as it is
        here now.

        What is there stays. A model that may not be chosen here stays, and counts as none. Raises
        InvalidArgument.

        messages: at most `MAX_IMPORTED` that follow each other, in the order of time. The first
            call for a session begins with its first message.
        """
        settings = asdict(session.settings)
        del settings["model"]
        check_settings(settings, models=self.models, inside="session.settings.")
        title = check_title(session.title, inside="session.")
        session_id = session.session_id

        message_ids = {message.message_id for message in messages}
        if len(message_ids) < len(messages):
            raise InvalidArgument("messages", "messages of different ids")

        # 1. The session itself.
        first_question = _first_question_in(messages)
        given_title = title
        if title == first_question:
            given_title = ""
        new_session = replace(
            session,
            title=given_title,
            first_question=first_question,
            message_count=0,
        )
        existing: Session | None = session
        try:
            self.store.swap(self.person, SESSIONS, session_id, new_session, expected=None)
        except Conflict:  # it is there
            existing = self._stored(session_id)

        # 2. Its messages.
        stored_ids: frozenset[str] = frozenset()
        if messages:
            stored_ids = self._stored_message_ids(session_id, messages)
        missing = []
        for message in messages:
            if message.message_id not in stored_ids:
                missing.append(self._with_revisions(message))

        if missing and existing is not None:
            conversation = Conversation(self.person, session_id)
            self.store.add_messages(conversation, missing, first=first_question)
            updated_at = max(existing.updated_at, session.updated_at, missing[-1].created_at)
            self.store.change(self.person, SESSIONS, session_id, {"updated_at": updated_at})

        stored = self._stored(session_id)
        if stored is None:  # deleted meanwhile
            return replace(session, title=title)
        return stored

    def _with_revisions(self, message: Message) -> Message:
        """Gives each citation the revision of its note; an empty one where the note does not hold
        the quote now.
        """
        citations = []
        for citation in message.citations:
            note = readable_note(self.store, self.person.tenant_id, citation.note_id)
            quote = citation.shown["quote"]
            revision = ""
            if note is not None and quote in note.text:
                revision = note_revision(note)
            citations.append(replace(citation, note_revision=revision))
        return replace(message, citations=tuple(citations))

    def _stored_message_ids(self, session_id: str, messages: Sequence[Message]) -> frozenset[str]:
        """Returns the ids of the stored messages from the time of the first of `messages` to that
        of the last.
        """
        conversation = Conversation(self.person, session_id)
        first = messages[0]
        last = messages[-1]
        end = last.created_at + EXPORTED_PRECISION

        # A listing goes back in time: from the end to the first of the messages.
        stored_ids: set[str] = set()
        position: Cursor | None = Cursor("0", end)
        while position is not None and position.moment is not None:
            if position.moment < first.created_at:
                break
            listing = self.store.listing(conversation, MESSAGES, limit=SCANNED, after=position)
            for message in listing.items:
                stored_ids.add(message.message_id)
            position = listing.next
        return frozenset(stored_ids)

    def delete(self, session_id: str) -> None:
        """Deletes a session with its messages. Raises NotFound."""
        is_deleted = False
        if _ID.fullmatch(session_id):
            is_deleted = self.store.delete(self.person, SESSIONS, session_id)
        if not is_deleted:
            raise NotFound(f"no session {session_id!r}")

    def page(
        self,
        *,
        limit: int,
        token: str | None = None,
        query: str = "",
        in_text: bool = False,
    ) -> Page[Session]:
        """Lists sessions, last changed first. Raises InvalidArgument("pageToken").

        query: lists only sessions whose title contains each of these words, ignoring case, width
            and accents. A page of a search may hold fewer sessions than `limit`.
        in_text: True to search the newest messages of each session, too.
        """
        listing = f"sessions {self.person.space} {in_text} {query}"
        position = self._read_token(token, listing)
        words = folded_words(query).split()
        in_text = in_text and bool(words)
        steps = MAX_STEPS
        step_size = limit + 1
        if in_text:
            steps = MAX_TEXT_STEPS
            step_size = TEXT_SCANNED
        elif query:
            step_size = SCANNED

        sessions: list[Session] = []
        unreadable: list[UnreadableDocument] = []

        def page_of(next_position: Cursor | None) -> Page[Session]:
            next_token = self._make_token(next_position, listing)
            return Page(tuple(sessions), next_token, tuple(unreadable))

        for _ in range(steps):
            listing_step = self.store.listing(
                self.person,
                SESSIONS,
                limit=step_size,
                after=position,
            )
            unreadable.extend(listing_step.unreadable)
            for session in listing_step.items:
                if len(sessions) == limit:
                    return page_of(position)
                is_wanted = _has_words(session, words)
                if in_text and not is_wanted:
                    is_wanted = self._says(session, words)
                if is_wanted:
                    sessions.append(session)
                position = SESSIONS.cursor(session)
            position = listing_step.next
            if position is None:
                break
        return page_of(position)

    def _says(self, session: Session, words: Sequence[str]) -> bool:
        """Reports whether the newest messages, taken together, contain each of the folded words."""
        conversation = Conversation(self.person, session.session_id)
        listing = self.store.listing(conversation, MESSAGES, limit=SCANNED, after=None)
        texts = [message.text for message in listing.items]
        return _contains(" ".join(texts), words)

    def messages(self, session_id: str, *, limit: int, token: str | None = None) -> Page[Message]:
        """Lists messages with their citations as they are now: newest page first, each page in the
        order of time.

        Raises NotFound, InvalidArgument("pageToken").
        """
        listing = f"messages {self.person.space} {session_id}"
        position = self._read_token(token, listing)
        with suppress(InvalidArgument):  # messages of a session that cannot be read can be read
            self.get(session_id)

        # One more tells whether there is another page.
        conversation = Conversation(self.person, session_id)
        newest_first = self.store.listing(
            conversation,
            MESSAGES,
            limit=limit + 1,
            after=position,
        )
        page = newest_first.items[:limit]
        has_more = len(newest_first.items) > limit
        messages = self._in_order_of_time(page)

        next_position = newest_first.next
        if has_more:
            next_position = MESSAGES.cursor(messages[0])
        next_token = self._make_token(next_position, listing)
        return Page(messages, next_token, newest_first.unreadable)

    @contextmanager
    def turn(
        self,
        question: Question,
        session_id: str | None,
        patch: SettingsPatch,
    ) -> Iterator[Turn]:
        """Yields the turn of a question with the settings of its session, while the body answers
        it.

        Where the body raises, a session that was begun for the question is deleted. Raises
        NotFound; InvalidArgument naming the request's field.

        session_id: None for no session, where only `patch` counts; `NEW` to begin one.
        patch: settings of the request itself.
        """
        check_settings(patch, models=self.models)
        asked_at = self.clock()
        is_new = session_id == NEW
        session = None
        settings: dict[str, Any] = {}
        if is_new:
            session = self.create()
        elif session_id is not None:
            session = self.get(session_id)
        if session is not None:
            settings = asdict(session.settings)
        settings.update(patch)
        max_history = 0
        if session is not None and not is_new:
            max_history = settings["max_history"]
        turn = Turn(
            question=self._with_settings(question, settings),
            asked_at=asked_at,
            session=session,
            max_history=max_history,
        )
        try:
            yield turn
        except BaseException:
            if session is not None and is_new:
                self._delete_if_empty(session.session_id)
            raise

    def _delete_if_empty(self, session_id: str) -> None:
        """Deletes a session unless an answer is stored in it already."""
        stored = self._stored(session_id)
        if stored is not None and not stored.message_count:
            self.store.delete(self.person, SESSIONS, session_id)

    def _with_settings(self, question: Question, settings: Mapping[str, Any]) -> Question:
        """Returns the question with the settings that it does not set itself."""
        changes = {name: value for name, value in settings.items() if name in _QUESTION_SETTINGS}
        if "strategy" in changes:
            changes["strategy"] = Strategy(changes["strategy"])
        if "when_not_in_notes" in changes:
            changes["when_not_in_notes"] = WhenNotInNotes(changes["when_not_in_notes"])
        if changes.get("template") == NONE:
            changes["template"] = None
        model = settings.get("model")
        if model not in self.models:
            # A model that was allowed once and is no more counts as none: the configured one
            # answers.
            model = None
        filters = _with_scope(question.filters, settings)
        return replace(
            question,
            **changes,
            filters=filters,
            model=model,
        )

    def standalone_question(self, turn: Turn) -> Turn:
        """Adds the history and rewrites the question so that it stands alone. Reads the session,
        may ask a model.
        """
        if turn.session is None or not turn.max_history:
            return turn
        conversation = Conversation(self.person, turn.session.session_id)
        newest_first = self.store.listing(
            conversation,
            MESSAGES,
            limit=turn.max_history,
            after=None,
        )
        turns = earlier_turns(self._in_order_of_time(newest_first.items))
        question = turn.question
        standalone, usage = resolve(
            question,
            turns,
            rewriter=self.rewriter,
            longest=self.longest_question,
        )
        history = tuple(earlier.exchange for earlier in turns)
        question = replace(question, history=history)
        if standalone != question.text:
            question = replace(question, text=standalone, asked=question.text)
        return replace(turn, question=question, usage=usage)

    def record(self, turn: Turn, answer: StoredAnswer) -> bool:
        """Stores the answered turn.

        Returns False if nothing is stored, because the session has been deleted meanwhile or the
        store is unavailable: the answer is delivered all the same.
        """
        if turn.session is None:
            return False
        now = max(self.clock(), turn.asked_at)
        try:
            is_stored = self.store.add_messages(
                Conversation(self.person, turn.session.session_id),
                messages_of(turn, answer, now),
                first=title_of(turn.question.own_words),
            )
        except (TooLarge, Unavailable) as error:
            log.warning("a turn was answered and not stored (%s)", type(error).__name__)
            return False
        if not is_stored:
            log.info("a turn was answered whose session has been deleted")
        return is_stored

    def _stored(self, session_id: str) -> Session | None:
        return self.store.get(self.person, SESSIONS, session_id).value

    def _in_order_of_time(self, newest_first: Sequence[Message]) -> tuple[Message, ...]:
        """Returns messages, oldest first, with their citations as they are now.

        Reads each cited note's record once.
        """
        revisions: list[NoteRevision] = []
        for message in newest_first:
            revisions.extend(cited_revisions(message))
        states = current(self.store, self.person.tenant_id, revisions)

        messages = [as_read_now(message, states) for message in reversed(newest_first)]
        return tuple(messages)

    def _make_token(self, last: Cursor | None, listing: str) -> str | None:
        """Makes the token of the page after `last`; None if there is no such page.

        listing: what all pages of the listing have in common: tenant, session, search.
        """
        if last is None or last.moment is None:
            return None
        made = self.clock().isoformat()
        moment = last.moment.isoformat()
        return make_token(listing, made, moment, last.document_id)

    def _read_token(self, token: str | None, listing: str) -> Cursor | None:
        """Returns the position before which the page begins; None without a token, for the newest page.

        Raises InvalidArgument("pageToken") unless `_make_token` made the token for this listing within the last day. A
        forged token may hold no time, no zone, or a time that the store does not accept.
        """
        if token is None:
            return None

        made_text, moment_text, document_id = read_token(token, listing, parts=3)
        try:
            made = datetime.fromisoformat(made_text)
            moment = datetime.fromisoformat(moment_text)
            is_genuine = _is_storable(made) and _is_storable(moment)
        except ValueError:
            is_genuine = False
        if not is_genuine:
            raise InvalidArgument("pageToken", "a token that the page before gave")

        age = self.clock() - made
        if not timedelta(0) <= age <= LIFETIME:
            raise InvalidArgument(
                "pageToken",
                "a token of the last 24 hours; begin the listing again",
            )
        return Cursor(document_id, moment)


def _is_storable(moment: datetime) -> bool:
    """Reports whether a time has a zone and lies within the years that a store takes."""
    return moment.tzinfo is not None and is_within_years(moment)


def _first_question_in(messages: Sequence[Message]) -> str:
    """Returns a title made from the first question; empty if there is no question."""
    for message in messages:
        if message.role is Role.USER:
            return title_of(message.text)
    return ""


def _has_words(session: Session, words: Sequence[str]) -> bool:
    """Reports whether the title contains each of the folded words."""
    if not words:
        return True
    return _contains(session.shown_title, words)


def _contains(text: str, words: Sequence[str]) -> bool:
    """Reports whether a text contains each of the folded words."""
    folded_text = folded_words(text)
    return all(word in folded_text for word in words)


def _with_scope(filters: Filters, settings: Mapping[str, Any]) -> Filters:
    """Adds the vault, the folder and the time of the settings where the request names none."""
    look_in = settings.get("look_in", "")
    vault, _, folder = look_in.partition("/")
    names_place = filters.vaults or filters.folders
    if not names_place:
        if vault:
            filters = replace(filters, vaults=(vault,))
        if folder:
            filters = replace(filters, folders=(folder,))

    window_days = settings.get("window_days")
    names_time = filters.window_days or filters.created_after or filters.created_before
    if window_days and not names_time:
        filters = replace(filters, window_days=window_days)
    return filters
