"""Wherever one can ask: places that do not exist, dates the wrong way round, questions that hardly are any."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functions.world import World, problem

ASKING = {
    "/chat": ("chat", "message"),
    "/search": ("api", "query"),
    "/search:explain": ("api", "query"),
    "/ask": ("api", "question"),
}
WRONG_WAY_ROUND = {"createdAfter": "2026-02-01", "createdBefore": "2026-01-01"}
NOTES = {
    "run": ("We decided to run the API on Cloud Run.", "projects/api/run.md"),
    "tokyo": ("東京の会議でデータベースを決めた。", "reisen/tokyo.md"),
    "moscow": ("Встреча в Москве о базе данных.", "moscow.md"),
}


@pytest.fixture(autouse=True)
def library(world: World) -> None:
    for note_id, (text, path) in NOTES.items():
        world.save(note_id, text=text, path=path)


def _ask(world: World, path: str, text: str, **body: object) -> Any:  # noqa: ANN401 - werkzeug's response
    function, field = ASKING[path]
    return world.call(function, "POST", path, {field: text, **body})


def _found(body: dict[str, Any]) -> set[str]:
    """Ids of the notes that came, under whichever name the route has for them."""
    return {
        reference["noteId"]
        for name in ("results", "citations", "references")
        for reference in body.get(name, [])
    }


@pytest.mark.parametrize("path", ASKING)
@pytest.mark.parametrize(
    ("filters", "named"),
    [
        ({"vaults": ["default", "attic"]}, "no vault 'attic'"),
        ({"folders": ["projects/api", "cellar"]}, "no folder 'cellar'"),
        ({"folders": ["projects/ap"]}, "no folder 'projects/ap'"),
        ({"folders": ["attic/projects"]}, "no folder 'attic/projects'"),
        ({"folders": ["attic/"]}, "no folder 'attic/'"),
    ],
)
def test_an_unknown_vault_or_folder_is_404_and_named(
    world: World, path: str, filters: dict[str, Any], named: str
) -> None:
    response = _ask(world, path, "API?", filters=filters)
    assert problem(response)[:2] == (404, "NOT_FOUND")
    assert response.get_json()["error"]["message"].startswith(f"{named}; there are: ")


@pytest.mark.parametrize("path", ASKING)
def test_the_longest_folder_there_can_be_is_searched(world: World, path: str) -> None:
    folder = "/".join(["f" * 100] * 9)
    vault = "v" * 200
    world.save(
        "deep", text="We decided to run the API on a mainframe.", path=f"{folder}/n.md", vault=vault
    )
    for name in (folder, f"{vault}/{folder}"):
        body = _ask(
            world, path, "Where did we decide to run the API?", filters={"folders": [name]}
        ).get_json()
        assert _found(body) == {"deep"}


@pytest.mark.parametrize("path", ASKING)
def test_dates_the_wrong_way_round_are_400_and_the_same_date_twice_is_an_empty_time(
    world: World, path: str
) -> None:
    wrong = {"createdAfter": "2026-02-01", "createdBefore": "2026-01-01"}
    assert problem(_ask(world, path, "API?", filters=wrong)) == (
        400,
        "INVALID_FIELD",
        "filters.createdAfter",
    )
    empty = {"createdAfter": "2026-02-01", "createdBefore": "2026-02-01"}
    response = _ask(world, path, "API?", filters=empty)
    assert response.status_code == 200
    assert _found(response.get_json()) == set()


ODD = {
    "only stop words": "What was it about, and is it of them?",
    "only emoji": "🤖🤖 👩‍👩‍👧",
    "only signs": "?!…",
    "one long word": "a" * 2000,
    "one word again and again": "API " * 500,
}


@pytest.mark.parametrize("path", ASKING)
@pytest.mark.parametrize("kind", ODD)
def test_a_question_that_hardly_is_one_has_an_answer_or_a_refusal(
    world: World, path: str, kind: str
) -> None:
    response = _ask(world, path, ODD[kind])
    assert response.status_code == 200, response.get_json()
    body = response.get_json()
    keywords = body["meta"]["query"]["keywords"]
    assert len(keywords) == {"one long word": 1, "one word again and again": 1}.get(kind, 0)
    if kind == "one word again and again":
        assert _found(body) >= {"run"}
    elif "answer" in body:
        assert body["meta"]["refusal"]["reason"] in {
            "below_threshold",
            "no_candidates",
            "unsupported_claims",
        }
        assert body["citations"] == []
        assert body["answer"].startswith("I don't have enough information") is True


def test_only_what_no_note_holds_a_word_of_is_refused_and_told_what_can_be_asked(
    world: World,
) -> None:
    unknown = world.ask("Who is Zebulon?")
    assert unknown["meta"]["refusal"]["reason"] == "no_candidates"
    assert "ask about a person, a project, a place or a day" in unknown["answer"]
    assert unknown["meta"]["refusal"]["lang"] == "en"
    near = world.ask("Which API eats hay?")
    assert near["meta"]["refusal"] is None
    assert near["meta"]["answerKind"] == "quoted"
    assert _found(near) == {"run"}


@pytest.mark.parametrize(
    ("question", "lang", "told"),
    [
        ("Wie lautet der Zugangscode für Xqzzv Plorgh?", "de", "In deinen Notizen steht nichts"),
        ("Wat is de toegangscode voor Xqzzv Plorgh en waarom?", "en", "Nothing in your notes"),
    ],
)
def test_a_refusal_names_the_language_of_its_reason(
    world: World, question: str, lang: str, told: str
) -> None:
    refusal = world.ask(question)["meta"]["refusal"]
    assert refusal["lang"] == lang
    assert refusal["told"].startswith(told)


@pytest.mark.parametrize(
    ("function", "path", "body", "code"),
    [
        ("chat", "/", {"message": "hello", "template": "nope"}, 404),
        ("chat", "/", {"message": "hello", "filters": {"vaults": ["nope"]}}, 404),
        ("chat", "/", {"message": "hello", "filters": {"folders": ["nope"]}}, 404),
        ("chat", "/", {"message": "hello", "filters": WRONG_WAY_ROUND}, 400),
        ("chat", "/", {"message": "thanks", "filters": {"tags": [1]}}, 400),
        ("api", "/ask", {"question": "hello", "vaults": ["nope"]}, 404),
        ("api", "/ask", {"question": "hello", "folders": ["nope"]}, 404),
        ("chat", "/", {"message": "hello", "template": "auto"}, 200),
        ("chat", "/", {"message": "hello"}, 200),
    ],
)
def test_a_greeting_hides_no_wrong_field(
    world: World, function: str, path: str, body: dict[str, object], code: int
) -> None:
    assert world.call(function, "POST", path, body).status_code == code
