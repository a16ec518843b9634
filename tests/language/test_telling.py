from __future__ import annotations

from shared.language.telling import Telling, best_parts

DAYS = ("Slept badly. Moved the database.", "Slept well. Walked.", "Slept badly. Ate soup.")


def test_words_that_few_texts_have_say_more_than_those_of_every_text() -> None:
    common, rare = Telling(DAYS, "en").scores(["Slept badly.", "Moved the database."])
    assert rare > common > 0


def test_words_that_a_text_repeats_say_what_it_is_about() -> None:
    parts = ["The garden is wet.", "The roof needs paint.", "The roof needs nails."]
    garden, roof, _ = Telling(["\n".join(parts)], "en").scores(parts)
    assert roof > garden
    assert Telling([], "en").scores(["", "of the"]) == [0.0, 0.0]


def test_a_part_that_repeats_another_neither_counts_nor_is_chosen() -> None:
    roof = "The roof needs paint."
    parts = [
        "Tea was served.",
        roof,
        "Tea  was\nserved.",
        "The roof needs nails.",
        *["Tea was served."] * 9,
    ]
    lengths = list(map(len, parts))
    telling = Telling([" ".join(parts), "Walked."], "en")
    assert telling.best(parts, lengths, room=len(roof)) == [1]
    assert telling.best(parts, lengths, room=1000) == [0, 1, 3]
    assert telling.best([], [], room=10) == []


def test_the_best_parts_that_fit_together_come_in_their_order() -> None:
    assert best_parts([5, 5, 5], [0.1, 0.3, 0.2], room=10) == [1, 2]
    assert best_parts([5, 50, 5], [0.1, 0.3, 0.2], room=10) == [1]
    assert best_parts([], [], room=10) == []
