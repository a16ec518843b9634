"""Links lead to the notes that Obsidian finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.markdown.pointers import folded, pointers, without_suffix
from shared.notes.linked import Named, resolve


def named(path: str = "", title: str = "", *aliases: str) -> Named:
    names = filter(None, map(folded, (without_suffix(path).rpartition("/")[2], title, *aliases)))
    return Named(
        note_id=f"{path}|{title}",
        title=title,
        path=path,
        names=frozenset(names),
    )


VAULT = (
    named("Boat.md", "The boat"),
    named("toys/Boat.md", "A toy"),
    named("toys/old/Boat.md"),
    named("toys/Car.md", "Motor", "Auto"),
    named("years/2024/Plan.md"),
    named("other/Motor.md"),
    named("", "Kept by an app"),
    named("", "A/B test"),
)


@pytest.mark.parametrize(
    ("written", "source", "meant"),
    [
        ("[[boat]]", "Log.md", "Boat.md"),
        ("[[Boat]]", "toys/Log.md", "toys/Boat.md"),
        ("[[Boat]]", "far/away/Log.md", "Boat.md"),
        ("[[old/Boat]]", "Log.md", "toys/old/Boat.md"),
        ("[[toys/Boat]]", "toys/old/Log.md", "toys/Boat.md"),
        ("[[/Boat]]", "toys/old/Log.md", "Boat.md"),
        ("[[../Boat]]", "toys/old/Log.md", "toys/Boat.md"),
        ("[[./Boat]]", "toys/Log.md", "toys/Boat.md"),
        ("[[2024/plan]]", "Log.md", "years/2024/Plan.md"),
        ("[[Motor]]", "toys/Log.md", "other/Motor.md"),
        ("[[AUTO]]", "Log.md", "toys/Car.md"),
        ("[[Kept by  an app]]", "Log.md", ""),
        ("[[A/B test]]", "Log.md", ""),
        ("[it](old/Boat.md)", "toys/Log.md", "toys/old/Boat.md"),
        ("[it](Boat.md)", "toys/old/Log.md", "toys/old/Boat.md"),
        ("[it](toys/Boat.md)", "toys/Log.md", "toys/Boat.md"),
        ("[it](../Boat.md)", "toys/Log.md", "Boat.md"),
    ],
)
def test_a_link_means(written: str, source: str, meant: str) -> None:
    (pointer,) = pointers(written)
    target = resolve(pointer, source, VAULT)
    assert target is not None
    assert target.path == meant


@pytest.mark.parametrize(
    "written",
    [
        "[[Ship]]",
        "[[no/Boat]]",
        "[[oat]]",
        "[[other/Auto]]",
        "[it](../../Boat.md)",
        "[[../../../etc/Boat]]",
    ],
)
def test_what_nothing_is_called_means_none(written: str) -> None:
    (pointer,) = pointers(written)
    assert resolve(pointer, "toys/Log.md", VAULT) is None


NAMES = st.text("aB1 /.é#|", min_size=1, max_size=8)
NOTES = st.builds(named, NAMES.map(lambda name: f"{name}.md"), NAMES, NAMES)


@given(st.lists(NOTES, max_size=6), NAMES, NAMES, st.randoms())
def test_only_a_note_that_is_there_is_meant_and_their_order_does_not_matter(
    notes: list[Named], name: str, source: str, random: object
) -> None:
    for pointer in pointers(f"[[{name}]] [x]({name}.md)"):
        target = resolve(pointer, source, notes)
        assert target is None or target in notes
        assert resolve(pointer, source, []) is None
        shuffled = sorted(notes, key=lambda _: random.random())  # type: ignore[attr-defined]
        target_after_shuffle = resolve(pointer, source, shuffled)
        assert (target and target.note_id) == (
            target_after_shuffle and target_after_shuffle.note_id
        )
