"""Notes of a made-up person: enough of them for the page to have something to do."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import product
from pathlib import Path

PROJECTS = [
    f"{first}{second}"
    for first, second in product(
        ("Kes", "Mar", "Ald", "Tor", "Bri", "Fen", "Oss", "Lun", "Har", "Wey"),
        ("trel", "low", "ona", "vik", "dale", "mere", "wick", "gate", "ford", "holm"),
    )
]
PEOPLE = [
    f"{first} {last}"
    for first, last in product(
        ("Ines", "Jonas", "Mira", "Tomás", "Aylin", "Piet", "Ruth", "Samir", "Vera", "Olaf"),
        (
            "Brandt",
            "Costa",
            "Dahl",
            "Eriksen",
            "Fabre",
            "Greco",
            "Holm",
            "Ilves",
            "Jansen",
            "Kovač",
        ),
    )
]
DISHES = [
    f"{how} {what}"
    for how, what in product(
        (
            "Baked",
            "Smoked",
            "Braised",
            "Pickled",
            "Roast",
            "Grilled",
            "Stewed",
            "Cold",
            "Spiced",
            "Fried",
        ),
        (
            "leeks",
            "trout",
            "aubergine",
            "lentils",
            "beets",
            "mussels",
            "quince",
            "barley",
            "fennel",
            "ham",
        ),
    )
]
THEMES = ("the harbour", "hiring", "the budget", "the archive", "opening hours")
WEATHER = ("Rain all day", "Clear and cold", "Fog until noon", "A warm wind")
PLACES = ("the allotment", "the swimming lake", "the old mill", "the flea market", "the library")
FIRST_DAY = date(2025, 1, 6)


def write_notes(folder: Path, count: int) -> None:
    """Writes `count` notes, a fifth of each kind: projects, people, recipes, meetings and days."""
    for number in range(count // 5):
        for path, text in (
            _project(number),
            _person(number),
            _recipe(number),
            _meeting(number),
            _day(number),
        ):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


def _project(number: int) -> tuple[str, str]:
    name = PROJECTS[number % len(PROJECTS)]
    person = PEOPLE[number % len(PEOPLE)]
    due = FIRST_DAY + timedelta(days=90 + 3 * number)
    text = f"""---
status: {"done" if number % 3 else "open"}
tags: [project]
---
# Project {name}

[[{person}]] leads it since {FIRST_DAY + timedelta(days=number):%B %Y}.

- Budget: {12 + number},400 euros
- First version by {due:%d %B %Y}
- Moored at berth {number + 1}

## Risks

The supplier may be late, and nobody else knows the {name} drawings.

> [!note] Remember
> Ask for a second offer before anything is ordered.
"""
    return f"projects/{name}/plan.md", text


def _person(number: int) -> tuple[str, str]:
    name = PEOPLE[number % len(PEOPLE)]
    text = f"""# {name}

Works on [[projects/{PROJECTS[number % len(PROJECTS)]}/plan|{PROJECTS[number % len(PROJECTS)]}]].

| what | value |
| --- | --- |
| Phone | 0171 {2000 + 37 * number} |
| Birthday | {FIRST_DAY + timedelta(days=3 * number):%d %B} |
| Office | Room {100 + number} |

Likes {DISHES[number * 7 % len(DISHES)].lower()}.
"""
    return f"people/{name}.md", text


def _recipe(number: int) -> tuple[str, str]:
    dish = DISHES[number % len(DISHES)]
    text = f"""---
tags: [recipe]
rating: {number % 5 + 1}
---
# {dish}

Serves {number % 4 + 2}. Ready in {20 + number % 7 * 5} minutes.

1. Heat the oven to {150 + number % 9 * 10} degrees.
2. Salt the {dish.split()[1]} and wait ten minutes.
3. Add **{number % 3 + 1} spoons** of oil; taste before serving.
"""
    return f"recipes/{dish}.md", text


def _meeting(number: int) -> tuple[str, str]:
    day = FIRST_DAY + timedelta(days=3 * number)
    theme = THEMES[number % len(THEMES)]
    text = f"""---
date: {day}
tags: [meeting]
---
# Meeting about {theme}

With {PEOPLE[number % len(PEOPLE)]} and {PEOPLE[(number + 11) % len(PEOPLE)]}.

## Decisions

- The {PROJECTS[number % len(PROJECTS)]} order is placed in week {day.isocalendar().week}.
- We meet again after {number % 4 + 2} weeks.

## Open

- [ ] Who tells the neighbours?
- [x] Book the room
"""
    return f"meetings/{day} {theme}.md", text


def _day(number: int) -> tuple[str, str]:
    day = FIRST_DAY + timedelta(days=3 * number + 1)
    weather = WEATHER[number % len(WEATHER)]
    place = PLACES[number % len(PLACES)]
    person = PEOPLE[(number + 5) % len(PEOPLE)].split()[0]
    text = f"""{weather}. Walked to {place} with {person}.

In the evening {DISHES[number % len(DISHES)].lower()}, which nobody finished. Read {number % 40 + 10} pages.
"""
    return f"journal/{day}.md", text
