from __future__ import annotations

import time

import pytest

from shared.markdown.plain import plain


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("## Decision", "Decision"),
        ("- We chose *Firestore*.", "We chose Firestore."),
        ("* [x] done", "done"),
        ("12. Mix **flour** and ~~milk~~ __water__.", "Mix flour and milk water."),
        ("> > quoted _words_", "quoted words"),
        ('see [the page](https://example.org "Title") and ![a plan](plan.png)', "see the page and a plan"),
        ("see [[projects/api|the API]] and [[Elena]]", "see the API and Elena"),
        ("see [[projects/api.md]], [[api#Limits]] and [[#Below|this]]", "see api, api > Limits and this"),
        ("![[api#^quota-1]] and [[api#^quota-1]]", "api and api"),
        ("| [[api\\|the API]] | yes |", "the API, yes"),
        ("![[plan.png|300]] as drawn", "as drawn"),
        ("Six tomatoes. ^bed-1", "Six tomatoes."),
        ("Six tomatoes. ^bed-1\n^bed-2\nx ^ y", "Six tomatoes. x ^ y"),
        ("Written <% tp.date.now() %> by <%* tR %>me {{title}}", "Written by me"),
        ("> [!warning]- Frost\n> Cover the beds.", "Frost Cover the beds."),
        ("run `make setup` now", "run make setup now"),
        ("| Way | Cost |", "Way, Cost"),
        ("|---|:--:|", ""),
        ("| API gateway | yes | 3 dollars |", "API gateway, yes, 3 dollars"),
        ("```python", ""),
        ("```\nsystemctl restart api\n```", "systemctl restart api"),
        ("a<br>b <b>bold</b><!-- hidden -->", "a b bold"),
        ("soft\nwrapped  line", "soft wrapped line"),
    ],
)
def test_marks_of_markdown_go_and_words_stay(markdown: str, text: str) -> None:
    assert plain(markdown) == text


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 = 24",
        "snake_case_name and __init__.py",
        "a < b and c > d",
        "pool_size is 5",
        "x | y",
        "5 - 3",
        "C# and F#",
    ],
)
def test_signs_that_mark_nothing_stay(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize("piece", ["[", "[a](", "*a ", "**", "`", "<a ", "| ", "> ", "_a", "[[", "- ", "|-"])
def test_odd_text_takes_no_time(piece: str) -> None:
    started = time.thread_time()
    plain(piece * (20_000 // len(piece)))
    assert time.thread_time() - started < 2.0
