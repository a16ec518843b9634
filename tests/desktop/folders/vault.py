"""A vault as people have them: several hundred notes in nested folders, in five languages, with everything odd."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

AREAS = (
    "projects/atlas",
    "projects/beacon/minutes",
    "journal/2025",
    "journal/2026",
    "reading",
    "people",
    "ideas",
)
SUBJECTS = (
    "harbour crane", "irrigation pump", "violin strings", "tax return", "bread oven", "bicycle chain", "timetable",
    "garden fence", "camera lens", "choir rehearsal", "heating bill", "chess opening", "roof tiles", "language course",
    "winter tyres", "bee hives", "fire drill", "coffee grinder", "mountain hut", "printer toner",
)  # fmt: skip
VERBS = ("ordered", "repaired", "discussed", "postponed", "measured", "cancelled", "photographed")


@dataclass(frozen=True)
class Asked:
    """A question and the note that answers it, with a word of the answer."""

    lang: str
    text: str
    path: str
    word: str


LANGUAGES = {
    "wohnung/Heizung.md": "---\ntags: [haus, technik]\nerstellt: 2026-03-01\n---\n# Heizung\n\nDie Wärmepumpe wurde am "
    "Dienstag von Herrn Krüger gewartet. Der Vorlauf ist jetzt auf 38 Grad eingestellt.\n",
    "wohnung/Größe.md": "# Maße der Küche\n\nDie Arbeitsplatte ist 245 cm lang und aus Eichenholz.\n",
    "viajes/Sevilla.md": "---\ntitle: Viaje a Sevilla\ncreated: 2026-04-12\n---\nEl hotel se llama Casa del Río y la "
    "reserva termina el domingo. El desayuno cuesta doce euros.\n",
    "cuisine/Tarte.md": "# Tarte aux pommes\n\nLa recette de grand-mère demande six pommes et une pincée de cannelle. "
    "Le four doit être à deux cents degrés.\n",
    "日記/会議.md": "# 会議メモ\n\n東京支社の会議は金曜日の午後三時に始まります。担当者は田中さんです。\n",
    "日記/旅行.md": "# 京都旅行\n\n京都のホテルは駅の近くにあります。桜の季節に行きました。\n",
}

QUESTIONS = (
    Asked("en", "Who tuned the piano in the music room?", "people/piano tuner.md", "Okonkwo"),
    Asked(
        "en",
        "What is the passphrase hint for the backup drive?",
        "ideas/backup drive.md",
        "lighthouse",
    ),
    Asked("de", "Wer hat die Wärmepumpe gewartet?", "wohnung/Heizung.md", "Krüger"),
    Asked("de", "Wie lang ist die Arbeitsplatte?", "wohnung/Größe.md", "245"),
    Asked("es", "¿Cómo se llama el hotel en Sevilla?", "viajes/Sevilla.md", "Casa del Río"),
    Asked(
        "fr",
        "Combien de pommes demande la recette de grand-mère ?",
        "cuisine/Tarte.md",
        "six pommes",
    ),
    Asked("ja", "東京支社の会議はいつ始まりますか", "日記/会議.md", "金曜日"),
)

ODD: dict[str, str | bytes] = {
    "people/piano tuner.md": "---\ntitle: Piano tuner\naliases: [tuner]\n---\nThe piano in the music room was tuned by "
    "Ms Okonkwo. See [[people/notes|her card]] and ![[piano.jpg]].\n",
    "ideas/backup drive.md": "---\ntitle: [broken\n  yaml: : here\n---\nThe passphrase hint for the backup drive is "
    "the lighthouse we saw in Ireland.\n",
    "odd/tabs in yaml.md": "---\n\ttitle: x\n---\nTabs are not allowed there.\n",
    "odd/only frontmatter.md": "---\ntitle: Nothing below\n---\n",
    "odd/empty.md": "",
    "odd/windows.md": b"\xef\xbb\xbf---\r\ntitle: Windows\r\n---\r\nThe lines end with two characters.\r\n",
    "odd/date is a list.md": "---\ncreated: [2026]\ntags: {a: b}\n---\nIts fields have wrong types.\n",
    "odd/table.md": "# Prices\n\n| what | price |\n|---|---|\n| screws | 4 |\n\n```python\n# none\nx = [1]\n```\n",
    "odd/emoji 😀 and #hash.md": "# 😀\n\nA name with signs.\n",
    "odd/picture.md": b"\x89PNG\r\n\x1a\n\0\0\0",
    "odd/latin.md": "Grüße".encode("latin-1"),
    "odd/huge.md": b"# Huge\n\n" + b"All work and no play makes a dull note. " * 30_000,
    "odd/long.md": "# Long\n\n"
    + "\n\n".join(f"## Part {n}\n\nIn part {n} the marker is K{n}Z." for n in range(400)),
    "attachments/piano.jpg": b"\xff\xd8\xff\xe0",
    "attachments/scan.pdf": b"%PDF-1.7",
    ".obsidian/workspace.md": "not a note",
    ".obsidian/plugins/x/readme.md": "not a note",
    ".trash/old.md": "Thrown away: the safe's code is 9876.",
}

SKIPPED = {
    "odd/picture.md": "binary",
    "attachments/scan.pdf": "no PDF that can be read",
    "odd/latin.md": "not UTF-8",
    "odd/huge.md": "too large",
    ".obsidian": "hidden folder",
    ".trash": "hidden folder",
    "links/outside": "a link that leads out",
    "links/loop": "a link to a folder that was entered already",
    "links/nowhere.md": "a link that leads out",
}
REMARKS = {"odd/date is a list.md", "ideas/backup drive.md", "odd/tabs in yaml.md"}


def make(root: Path, plain: int) -> int:
    """Writes the vault, with so many notes beside the odd ones. The number of its notes."""
    files: dict[str, str | bytes] = {**LANGUAGES, **ODD}
    for number in range(plain):
        area = AREAS[number % len(AREAS)]
        subject = SUBJECTS[number % len(SUBJECTS)]
        files[f"{area}/{number:03} {subject}.md"] = _plain(number, subject)
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    links = root / "links"
    links.mkdir()
    (links / "outside").symlink_to(root.parent)
    (links / "loop").symlink_to(root)
    (links / "nowhere.md").symlink_to(root.parent / "nowhere.md")
    (links / "same.md").symlink_to(root / "odd/table.md")
    left_out = len(
        [
            name
            for name in ODD
            if name in SKIPPED or name.startswith(".") or not name.endswith(".md")
        ]
    )
    return len(files) - left_out + 1


def _plain(number: int, subject: str) -> str:
    verb = VERBS[number % len(VERBS)]
    second_subject = SUBJECTS[(number * 7 + 3) % len(SUBJECTS)]
    front = f"---\ncreated: 2025-{number % 12 + 1:02}-{number % 28 + 1:02}\ntags: [t{number % 9}]\n---\n"
    return (
        f"{front if number % 3 else ''}# {subject.title()} {number}\n\n"
        f"We {verb} the {subject} after talking about [[{second_subject}]].\n\n"
        f"## Next\n\n- [ ] look at the {second_subject} again\n- [x] pay {number * 3} euros\n"
    )
