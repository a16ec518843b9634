"""A folder of Markdown -> notes."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.files.reading import FileNote, Skipped, digest_of_file, read, walk
from desktop.files.writing import why_unwritable
from shared.markdown.file import note_id_of
from tests.cli.conftest import Write


def _note(root: Path, name: str, vault: str = "default") -> FileNote:
    note = read(root, root / name, vault)
    assert isinstance(note, FileNote)
    return note


def _found(root: Path) -> tuple[list[str], dict[str, str]]:
    """Names of the notes, and what was left out with its reason."""
    entries = list(walk(root))
    files = [entry.relative_to(root).as_posix() for entry in entries if isinstance(entry, Path)]
    return files, {entry.path: entry.reason for entry in entries if isinstance(entry, Skipped)}


# -- which files


def test_texts_are_taken_in_order_of_path_and_the_rest_ignored(notes: Write) -> None:
    root = notes(
        {
            "b.md": "",
            "a/z.markdown": "",
            "a/y.MD": "",
            "c.txt": "",
            "picture.png": b"\x89",
            ".x": b"",
        }
    )
    ignored = {"picture.png": ".png: not a kind of file that is read"}
    assert _found(root) == (["a/y.MD", "a/z.markdown", "b.md", "c.txt"], ignored)


def test_hidden_files_are_left_out_and_reported(notes: Write) -> None:
    root = notes(
        {
            ".obsidian/app.md": "",
            "a/.trash/old.md": "",
            ".draft.md": "",
            "a/b.md": "",
        }
    )
    files, skipped = _found(root)
    assert files == ["a/b.md"]
    assert skipped == {
        ".obsidian": "hidden folder",
        "a/.trash": "hidden folder",
        ".draft.md": "hidden file",
    }


def test_templates_and_what_the_rules_of_the_folder_name_are_ignored(notes: Write) -> None:
    rules = "\ufeff*.draft.md\n# mine\n!\n/private/\n!keep/templates/\n"
    files = (
        "a.md",
        "b.draft.md",
        "private/p.md",
        "x/Templates/t.md",
        "keep/templates/k.md",
        "x/private/q.md",
    )
    root = notes({**dict.fromkeys(files, ""), ".auroraignore": rules})
    taken_files, left_out = _found(root)
    assert taken_files == ["a.md", "keep/templates/k.md", "x/private/q.md"]
    reason = "templates, or named in .auroraignore"
    assert left_out == dict.fromkeys(("b.draft.md", "private", "x/Templates"), reason)
    assert [
        why_unwritable(root, path) for path in ("a.md", "private/new.md", "templates/t.md")
    ] == [
        "",
        f"left out: {reason}",
        f"left out: {reason}",
    ]


def test_a_loop_of_links_ends(notes: Write) -> None:
    root = notes({"a/b/n.md": ""})
    (root / "a/b/up").symlink_to(root)
    files, skipped = _found(root)
    assert files == ["a/b/n.md"]
    assert list(skipped) == ["a/b/up"]


def test_a_linked_folder_is_entered_once(notes: Write) -> None:
    root = notes({"n.md": "", "other/o.md": ""})
    (root / "first").symlink_to(root / "other")
    (root / "second").symlink_to(root / "other")
    files, skipped = _found(root)
    assert files == ["first/o.md", "n.md"]
    assert list(skipped) == ["other", "second"]


def test_a_link_that_leads_out_is_not_followed_but_told(notes: Write, tmp_path: Path) -> None:
    root = notes({"n.md": ""})
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/s.md").write_text("The password is swordfish.")
    (root / "file.md").symlink_to(tmp_path / "secrets/s.md")
    (root / "folder").symlink_to(tmp_path / "secrets")
    (root / "nearly.md").symlink_to(
        tmp_path / "notes-of-others.md"
    )  # begins as the folder's own name does
    (root / "plain.txt").symlink_to(tmp_path / "secrets/s.md")
    files, skipped = _found(root)
    assert files == ["n.md"]
    assert skipped == dict.fromkeys(
        ("file.md", "folder", "nearly.md", "plain.txt"), "a link that leads out of the folder"
    )


def test_links_inside_the_folder_are_followed_also_when_the_folder_is_a_link(
    notes: Write, tmp_path: Path
) -> None:
    root = notes({"n.md": ""})
    (root / "same.md").symlink_to("n.md")
    (tmp_path / "way").symlink_to(root)
    assert _found(tmp_path / "way") == (["n.md", "same.md"], {})


@pytest.mark.parametrize("target", ["link.md", "nowhere.md"])
def test_a_link_to_itself_or_to_nothing_is_unreadable(notes: Write, target: str) -> None:
    root = notes({"n.md": ""})
    (root / "link.md").symlink_to(root / target)
    assert _found(root)[0] == ["link.md", "n.md"]
    file_read = read(root, root / "link.md", "default")
    assert isinstance(file_read, Skipped)
    assert file_read.unread is True
    assert file_read.reason.startswith("unreadable") is True


@pytest.mark.timeout(10)
def test_a_named_pipe_is_told_and_not_waited_for(notes: Write) -> None:
    root = notes({"n.md": ""})
    os.mkfifo(root / "pipe.md")
    assert read(root, root / "pipe.md", "default") == Skipped("pipe.md", "not a regular file")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a\0b", "binary"),
        (b"caf\xe9", "not UTF-8 at byte 3"),
        (b"x" * 900_001, "too large"),
    ],
)
def test_files_that_cannot_be_notes_are_reported(notes: Write, content: bytes, reason: str) -> None:
    root = notes({"n.md": content})
    skipped = read(root, root / "n.md", "default")
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith(reason)


# -- what they say


def test_a_note_id_depends_on_vault_and_path_alone(notes: Write) -> None:
    root = notes({"a/n.md": "one"})
    note_id = _note(root, "a/n.md").note_id
    notes({"a/n.md": "two"})
    assert _note(root, "a/n.md").note_id == note_id == note_id_of("default", "a/n.md")
    assert _note(root, "a/n.md", "work").note_id != note_id


def test_the_text_is_the_whole_file_without_its_byte_order_mark(notes: Write) -> None:
    text = "---\ntitle: T\n---\n# H\r\n\r\nBody \U0001f6a4\n"
    root = notes({"n.md": b"\xef\xbb\xbf" + text.encode()})
    assert _note(root, "n.md").draft.text == text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From the front\n---\n# Heading\n", "From the front"),
        ("---\ntitle: 2024\n---\n", "2024"),
        ("---\ntitle: ''\n---\n# Heading #\n", "Heading"),
        ("intro\n\n# Heading\n", "Heading"),
        ("```\n# not a heading\n```\n# Heading\n", "Heading"),
        ("~~~\n```\n# not a heading\n~~~\n", "file-name"),
        ("## second level\n#hashtag\n", "file-name"),
        ("", "file-name"),
    ],
)
def test_the_title_is_of_the_front_matter_else_the_heading_else_the_name(
    notes: Write, text: str, title: str
) -> None:
    assert _note(notes({"file-name.md": text}), "file-name.md").draft.title == title


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("[a, b, a]", ("a", "b")),
        ("a, b", ("a", "b")),
        ("'#a #b'", ("a", "b")),
        ("[2024, null, '']", ("2024",)),
        ("5", ("5",)),
        ("{a: b}", ()),
    ],
)
def test_tags_are_a_list_or_words(notes: Write, tags: str, expected: tuple[str, ...]) -> None:
    assert _note(notes({"n.md": f"---\ntags: {tags}\n---\n"}), "n.md").draft.tags == expected


@pytest.mark.parametrize(
    ("front", "name", "created"),
    [
        ("created: 2024-05-08T10:00:00+02:00", "n.md", datetime(2024, 5, 8, 8, tzinfo=UTC)),
        ("created: '2024-05-08T10:00:00Z'", "n.md", datetime(2024, 5, 8, 10, tzinfo=UTC)),
        ("created: 2024-05-08 10:00:00", "n.md", datetime(2024, 5, 8, 10, tzinfo=UTC)),
        ("date: 2024-05-08", "n.md", datetime(2024, 5, 8, 12, tzinfo=UTC)),
        ("date: '2024-05-08'", "n.md", datetime(2024, 5, 8, 12, tzinfo=UTC)),
        ("created: soon\ndate: 2024-05-08", "n.md", datetime(2024, 5, 8, 12, tzinfo=UTC)),
        ("created: 2024-05-08", "2023-01-01.md", datetime(2024, 5, 8, 12, tzinfo=UTC)),
        ("x: 1", "2023-01-01 diary.md", datetime(2023, 1, 1, 12, tzinfo=UTC)),
        ("x: 1", "2023-13-01.md", None),
        ("created: 0001-01-01", "n.md", None),
        ("created: [2024]", "n.md", None),
    ],
)
def test_the_date_is_of_the_front_matter_else_the_name(
    notes: Write, front: str, name: str, created: datetime | None
) -> None:
    assert _note(notes({name: f"---\n{front}\n---\n"}), name).draft.created_at == created


def test_front_matter_that_does_not_parse_is_text_and_told(notes: Write) -> None:
    note = _note(notes({"n.md": "---\ntitle: [\n---\nbody\n"}), "n.md")
    assert note.problem is not None
    assert note.draft.title == "n"
    assert note.draft.text.startswith("---")


def test_the_time_of_the_file_is_there_for_files_without_a_date(notes: Write) -> None:
    root = notes({"n.md": "text"})
    os.utime(root / "n.md", (1_700_000_000, 1_700_000_000))
    assert _note(root, "n.md").modified == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.timeout(10)
def test_a_pipe_has_no_digest_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert digest_of_file(tmp_path / "pipe.md") == ""
