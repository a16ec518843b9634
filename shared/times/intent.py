"""Decides what a time in a question is for: notes of that time, an event at that time, or only the person's story.

"I joined three weeks ago: may I take leave?" asks nothing about three weeks ago. A small score decides. It adds points
for where the time stands (in the clause that asks, before it, in another sentence) and for how that clause asks (about
the past, or about what the person may or must do).

The time of an event only orders the notes: the answer to "When did Melanie go camping in June?" may be in a note of
July. So does a time that is not over if the question asks who or where somebody is, or at what hour something begins: the
plan of this week was written before it. Notes of that time are asked for in four cases: the question asks for notes, for
what the person did (a diary says so on that day), for what happened, without saying to whom (`versions released in May`),
or for nothing but the time.

Each language brings only closed classes of words, see `language.vocabulary`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from shared.language.sentences import sentences
from shared.times.lexicon import NEARBY, Lexicon, at_end, lexicon

EVENT_REACH = 200
"""Characters on either side of a time in which its clause is read for what happened then."""

MAX_BETWEEN = 2
"""Words between a verb of the present and its participle."""

_WITHIN = re.compile(r"[;:]\s+|(?=¿)")
"""Splits a sentence into independent clauses."""
_COMMA = re.compile(r",\s+")
_BARE_YEAR = re.compile(r"\s*(?:19|20)\d\d")


class Intent(StrEnum):
    """Purpose of a time in a question."""

    ASKED = "asked"
    """Notes of that time are asked for."""
    EVENT = "event"
    """Something that happened then, or holds now, is asked about: it may have been written down at another time."""
    EITHER = "either"
    """Both readings are possible."""
    STORY = "story"
    """It says when something happened to the person who asks."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """An independent part of the text, at `[start, end)`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Question:
    """A sentence that asks."""

    clause: _Clause
    """The clause of it that asks."""
    first_comma: int
    """Position behind its first comma, in the whole text; past its end if it has none."""
    tense: int
    """Points that its tense adds to the score: see `_tense`."""
    asks_for_notes: bool
    """True if it asks what was written: `summarise`, `notes of`."""
    length: int
    """Letters of the clause, without the signs around it."""


class Intents:
    """Says what each time in one text is for. Clauses are read once, however many times the text names."""

    def __init__(self, text: str, words: Lexicon) -> None:
        self._text = text
        self._words = words
        self._clauses = _clauses(text)
        self._clause_ends = [clause.end for clause in self._clauses]

        self._asking = []
        for clause in self._clauses:
            if "?" in clause.text or words.opening.match(clause.text):
                self._asking.append(clause)
        if not self._asking:
            self._asking = self._clauses
        self._asking_starts = {clause.start for clause in self._asking}
        self._questions: dict[int, _Question] = {}

    def of(self, start: int, end: int, *, recurs: bool = False, is_running: bool = False) -> Intent:
        """Returns what the time at `text[start:end]` is for.

        recurs: it may also be one to come, or each of its kind, like `Monday`. is_running: it is not over.
        """
        score = self._score(start, end, recurs=recurs)
        if score < 0:
            return Intent.STORY
        if score == 0:
            return Intent.EITHER

        if self._tells_event(start, end, recurs=recurs):
            return Intent.EVENT
        if is_running and self._asks_who_is(start, end):
            return Intent.EVENT
        return Intent.ASKED

    def asks_of_the_past(self) -> bool:
        """Reports whether the last clause that asks does so in the past, or for what no longer holds.

        The first verb tells: `is` in `which plastic is the case made of`. Without a question word a participle is an
        attribute: `dried fruit`.
        """
        if self.asks_for_the_former():
            return True
        question = self._question(self._asking[-1])
        if question.tense <= 0:
            return False

        clause = question.clause.text
        words = self._words
        past = words.past.search(clause)
        present = words.present.search(clause)
        if past is None or (present is not None and present.start() < past.start()):
            return False
        is_participle = words.participles.fullmatch(past[0]) is not None
        return not is_participle or words.opening.match(clause) is not None

    def asks_for_the_former(self) -> bool:
        """Reports whether the last clause that asks does so for what no longer holds: `the old password`, `what did it
        cost before the move`.
        """
        question = self._question(self._asking[-1])
        clause = question.clause.text
        words = self._words
        if words.former_in(clause):
            return True
        before = words.before.search(clause)
        if before is None:
            return False
        is_last = clause[before.end() :].strip(" \n?!.,") == ""
        return is_last or question.tense > 0

    def kind_asked(self) -> list[str]:
        """Returns the words for the kind of things of which the text asks nothing but what became of them: `versions` in
        `which versions were released`. None are returned if it asks anything else.
        """
        verb = self._verb_behind_asked(self._text, recurs=False)
        if verb is None:
            return []
        words = self._words
        become = words.subject_words(self._text[verb.start() :])
        if len(become) > 1 or not all(map(str.islower, become)):
            return []
        return words.subject_words(self._text[: verb.start()])

    def _tells_event(self, start: int, end: int, *, recurs: bool) -> bool:
        """Reports whether the clause of a time speaks of something that happened to somebody else.

        A single word in small letters, unless behind an article, is what happened and no subject: `what was released in May`,
        but `what was the rent in May`. Nor is what is asked for, which stands before the verb, in small letters or as the one
        noun where all nouns have capitals: `which versions were released in May`, `versions released last May`.
        """
        around = self._around(start, end)
        words = self._words
        if not words.past.search(around):
            return False
        belongs_to_notes = self._belonging(start, end) > 0
        if belongs_to_notes:
            return False
        if words.asker.search(around) or words.writing.search(around):
            return False

        asked: list[str] = []
        subject = words.subject_words(around)
        verb = self._verb_behind_asked(around, recurs=recurs)
        if verb is not None:
            asked = words.subject_words(around[: verb.start()])
            subject = words.subject_words(around[verb.start() :])

        # Where every noun has a capital, the one noun that is asked for is no name.
        nouns_asked = [word for word in asked if not word.islower()]
        if len(nouns_asked) > 1 or (nouns_asked and words.names_are_capitalised):
            return True
        if any(not word.islower() for word in subject):
            return True
        if len(subject) != 1:
            return len(subject) > 1
        return self._is_thing(subject[0], around)

    def _is_thing(self, word: str, around: str) -> bool:
        """Reports whether a word of a clause is what is asked about, `the rent`, and not what happened: `released`."""
        words = self._words
        if words.everything.search(around):
            return False
        before_word = around[: around.rindex(word)]
        return at_end(around, len(before_word), words.article) is not None

    def _verb_behind_asked(self, around: str, *, recurs: bool) -> re.Match[str] | None:
        """Returns the verb of the past before which a clause says what is asked for; None if it tells something.

        Behind a question word that is any verb. Without one it is a participle behind bare nouns, unless the time may be
        one to come: `trips planned in May`. Words that only ask may stand before them: `list all versions released`.
        """
        words = self._words
        question_word = words.asks_what.match(around)
        if question_word is not None:
            return words.past.search(around, question_word.end())

        verb = words.participles.search(around)
        if recurs or verb is None:
            return None
        text_before = around[: verb.start()]
        nouns = words.subject_words(text_before)
        words_before = []
        for word in words.fillers.sub(" ", text_before).split():
            if not words.everything.fullmatch(word):
                words_before.append(word)
        if not nouns or nouns != words_before:
            return None
        return verb

    def _asks_who_is(self, start: int, end: int) -> bool:
        """Reports whether the clause of a time that is not over asks who or where somebody is, or for an amount or an hour,
        which a plan has said before: `Who is on duty this week?`, `What time is high tide today?`

        Whoever asks for an amount or an hour may do so with any verb: `À quelle heure commence la répétition ?`
        """
        around = self._around(start, end)
        words = self._words
        asks_amount = words.asks_amount.match(around)
        asks_who_is = words.asks_who_or_where.match(around) and words.present.search(around)
        if not asks_amount and not asks_who_is:
            return False
        if words.past.search(around):
            return False
        if words.asker.search(around) or self._asks_for_notes(around):
            return False

        belongs_to_notes = self._belonging(start, end) > 0
        if belongs_to_notes:
            return False
        subject = words.subject_words(around)
        return subject != []

    def _around(self, start: int, end: int) -> str:
        """Returns the clause of a time without the time, as far as EVENT_REACH."""
        text = self._text
        clause = self._clause_at(start)
        first_in_reach = start - EVENT_REACH
        first = max(clause.start, first_in_reach)
        last_in_reach = end + EVENT_REACH
        last = min(clause.end, last_in_reach)
        text_before = text[first:start]
        text_behind = text[end:last]
        return f"{text_before} {text_behind}"

    def _score(self, start: int, end: int, *, recurs: bool) -> int:
        """Adds up what speaks for a time that is asked about (positive) and for the person's story (negative)."""
        clause = self._clause_at(start)
        belonging = self._belonging(start, end)
        if clause.start not in self._asking_starts:
            last_question = self._question(self._asking[-1])
            return last_question.tense + belonging - 2

        question = self._question(clause)
        score = question.tense + belonging
        if question.clause is clause:
            follows_comma = question.first_comma <= start
            if follows_comma and self._words.opening.match(clause.text):
                score += 1
            else:
                score += 2

            asks_of_the_past = question.tense > 0 or question.asks_for_notes
            is_whole_question = question.length <= end - start
            if recurs and not asks_of_the_past and not is_whole_question:
                score -= 2
            return score

        question_start = question.clause.start
        if start >= question_start:
            return score + 2

        # The time stands before the part of the sentence that asks.
        text_before = self._text[clause.start : start]
        text_behind = self._text[end:question_start]
        lead = f"{text_before} {text_behind}"
        if belonging <= 0 and self._tells_something(lead):
            return score - 2
        return score - 1

    def _clause_at(self, position: int) -> _Clause:
        index = bisect_right(self._clause_ends, position)
        last_index = len(self._clauses) - 1
        return self._clauses[min(index, last_index)]

    def _tells_something(self, lead: str) -> bool:
        """Reports whether the words before the clause that asks tell something, their time aside.

        `I cooked …, which` does, `in the notes of …, which` does not.
        """
        words = lead.split()
        if len(words) < 2:
            return False
        grammar = self._words
        if grammar.past.search(lead) or grammar.present.search(lead):
            return True
        first_word = f"{words[0]} "
        preposition = grammar.preposition.search(first_word)
        return preposition is None

    def _belonging(self, start: int, end: int) -> int:
        """Scores a time that tells which minutes, post or meeting: `last week's minutes`, `the minutes of last week`.

        A bare year rather names a vintage, a model or a title (`the plot of 1984`), unless it is one of notes.
        """
        text = self._text
        words = self._words
        first_word, *_ = text[start:end].split(maxsplit=1)
        behind_first_word = start + len(first_word)
        for position in (start, behind_first_word):
            genitive = at_end(text, position, words.belonging)
            if genitive is None:
                continue
            if not _BARE_YEAR.fullmatch(text, position, end):
                return 2

            # The genitive begins with the last letter of the noun before it.
            last_letter = genitive.start()
            first = max(0, last_letter - NEARBY)
            nearby = text[first : last_letter + 1]
            *_, noun = nearby.split()
            if words.writing.fullmatch(noun):
                return 2
            return -4
        if words.possessive.match(text, end):
            return 2
        return 0

    def _question(self, sentence: _Clause) -> _Question:
        """Reads a sentence that asks, once."""
        question = self._questions.get(sentence.start)
        if question is None:
            question = self._read_question(sentence)
            self._questions[sentence.start] = question
        return question

    def _read_question(self, sentence: _Clause) -> _Question:
        """Finds the clause of a sentence that asks, behind a comma if not at its start, and reads how it asks."""
        text = sentence.text
        opening = self._words.opening
        comma_ends = [comma.end() for comma in _COMMA.finditer(text)]
        clause = sentence
        if not opening.match(text):
            for comma_end in comma_ends:
                if opening.match(text, comma_end):
                    clause = _Clause(
                        text=text[comma_end:],
                        start=sentence.start + comma_end,
                        end=sentence.end,
                    )
                    break

        first_comma = len(text) + 1
        if comma_ends:
            first_comma = comma_ends[0]
        letters = clause.text.strip(" \n?!.,")
        return _Question(
            clause=clause,
            first_comma=sentence.start + first_comma,
            tense=self._tense(clause.text),
            asks_for_notes=self._asks_for_notes(clause.text),
            length=len(letters),
        )

    def _asks_for_notes(self, clause: str) -> bool:
        """Reports whether a clause asks what was written or done. A verb that only forms the question does not:
        `do` in `when do juniors start`.
        """
        words = self._words
        present = words.present.search(clause)
        for word in words.everything.finditer(clause):
            if present is None or word.start() != present.start():
                return True
        return False

    def _tense(self, clause: str) -> int:
        """Scores the verb that comes first: 2 for the past, -2 for what the person may or must do, -1 for the present."""
        words = self._words
        past = words.past.search(clause)
        duty = words.duty.search(clause)
        present = words.present.search(clause)
        if duty and (past is None or duty.start() <= past.start()):
            return -2
        if past and present and self._is_of_present(past, present):
            return -1
        if past:
            return 2
        if present:
            return -1
        return 0

    def _is_of_present(self, past: re.Match[str], present: re.Match[str]) -> bool:
        """Reports whether a verb found as the past is a participle that belongs to one of the present: `are we closed`.

        Two words may stand between, as in `is the shop closed`; more begin a clause of their own: `is the book I finished`.
        """
        if not self._words.participles.fullmatch(past[0]):
            return False
        between = past.string[present.end() : past.start()]
        words_between = between.split()
        if present.start() > past.start() or len(words_between) > MAX_BETWEEN:
            return False
        if len(words_between) < MAX_BETWEEN:
            return True
        first_word, second_word = words_between
        return not self._begins_clause(first_word, second_word)

    def _begins_clause(self, first_word: str, second_word: str) -> bool:
        """Reports whether a verb of the past behind two words has a subject of its own: `is it I`, `is it Anna finished`.

        A name alone tells nothing: `is the Louvre closed`.
        """
        words = self._words
        if words.asker.fullmatch(second_word) or words.person.fullmatch(second_word):
            return True
        return second_word[0].isupper() and words.thing.fullmatch(first_word) is not None


def asks_of_the_past(text: str, lang: str) -> bool:
    """Reports whether a question asks of the past: `what did the boiler cost`. False in a language without such words."""
    return Intents(text, lexicon(lang)).asks_of_the_past()


def asks_for_the_former(text: str, lang: str) -> bool:
    """Reports whether a question asks for what no longer holds: `the old password`. False in a language without such words."""
    return Intents(text, lexicon(lang)).asks_for_the_former()


def kind_asked(text: str, lang: str) -> list[str]:
    """Returns the words for the kind of things of which a question asks nothing but what became of them, see `Intents`.

    text: the question without the time that it names.
    """
    return Intents(text, lexicon(lang)).kind_asked()


def fillers(text: str, lang: str) -> list[str]:
    """Returns what names nothing where it stands in a text: `all`, `got` in `got released`, `took place`."""
    return lexicon(lang).fillers.findall(text)


def _clauses(text: str) -> list[_Clause]:
    """Splits a text into sentences, and sentences into independent clauses."""
    clauses: list[_Clause] = []
    for sentence_start, sentence_end in sentences(text):
        splits = _WITHIN.finditer(text, sentence_start, sentence_end)
        boundaries = [
            sentence_start,
            *(split.end() for split in splits),
            sentence_end,
        ]
        for start, end in pairwise(boundaries):
            if start < end:
                clause = _Clause(text[start:end], start, end)
                clauses.append(clause)

    if not clauses:
        return [_Clause(text, 0, len(text))]
    return clauses
