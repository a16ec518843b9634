"""Folders -> templates, and every file that is none with its reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shared.settings import shipped
from shared.templates.files import MAX_BYTES, read_folders, state_of
from shared.templates.ranking import CHAIN_OF_THOUGHT


def _write(folder: Path, name: str, text: str | bytes | None = None) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    content = f"---\nname: {file.stem}\n---\n1. From {name}." if text is None else text
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_every_markdown_file_of_all_folders_is_a_template_by_its_name(tmp_path: Path) -> None:
    for name in (
        "one/b.md",
        "one/deep/er/a.markdown",
        "two/C d.MD",
        "one/readme.txt",
        "one/.hidden/x.md",
        "two/.y.md",
    ):
        _write(tmp_path, name)
    folder_templates = read_folders([tmp_path / "one", tmp_path / "two"])
    assert [template.template_id for template in folder_templates.templates] == ["C d", "a", "b"]
    assert folder_templates.problems == ()


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    _write(tmp_path, "t.md", b"\xef\xbb\xbf---\nname: T\n---\n1.")
    assert [template.name for template in read_folders([tmp_path]).templates] == ["T"]


def test_the_first_of_duplicate_ids_stays_and_the_others_are_reported(tmp_path: Path) -> None:
    first = _write(tmp_path, "one/plan.md")
    duplicates = [
        _write(tmp_path, "one/sub/plan.md"),
        _write(tmp_path, "two/plan.markdown"),
    ]
    folder_templates = read_folders([tmp_path / "one", tmp_path / "two"])
    assert [template.content for template in folder_templates.templates] == ["1. From one/plan.md."]
    assert [problem.path for problem in folder_templates.problems] == list(map(str, duplicates))
    assert all(
        f"duplicate id: {first} has it" in problem.reason for problem in folder_templates.problems
    )


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("t.md", "1. Think.", "frontmatter"),
        ("t.md", "---\nname: T\n---\n", "content"),
        ("t.md", b"---\nname: \xff\n---\n1.", "UTF-8; byte 10"),
        ("t.md", b"x" * (MAX_BYTES + 1), "bytes"),
        ("auto.md", None, "templateId"),
    ],
)
def test_a_bad_file_is_told_and_the_rest_is_read(
    tmp_path: Path, name: str, text: str | bytes | None, reason: str
) -> None:
    bad = _write(tmp_path, name, text)
    _write(tmp_path, "good.md")
    folder_templates = read_folders([tmp_path])
    assert [template.template_id for template in folder_templates.templates] == ["good"]
    assert [problem.path for problem in folder_templates.problems] == [str(bad)]
    assert reason in folder_templates.problems[0].reason


def test_a_folder_that_is_not_there_is_a_problem_of_its_own(tmp_path: Path) -> None:
    (problem,) = read_folders([tmp_path / "nowhere"]).problems
    assert problem.template_id is None


def test_the_state_moves_with_every_change_of_a_file(tmp_path: Path) -> None:
    states = [state_of([tmp_path])]
    file = _write(tmp_path, "t.md")
    states.append(state_of([tmp_path]))
    os.utime(file, ns=(1, 1))
    states.append(state_of([tmp_path]))
    file.rename(tmp_path / "u.md")
    states.append(state_of([tmp_path]))
    assert len(set(states)) == 4
    assert state_of([tmp_path]) == states[-1]


def test_good_templates_are_shipped_the_built_in_one_among_them() -> None:
    folder_templates = read_folders([shipped.TEMPLATES])
    assert folder_templates.problems == ()
    assert len(folder_templates.templates) == 11
    assert CHAIN_OF_THOUGHT in folder_templates.templates
    assert all(
        template.keywords and template.description for template in folder_templates.templates
    )
