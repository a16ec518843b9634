"""Hostile notes, questions and conversations against a model that obeys them all, through the real /chat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any
from urllib.parse import unquote

import pytest

from tests.active import active
from tests.functions.world import World
from tests.servers.sdk_parsers import event_source
from tests.trust.conftest import SECRETS
from tests.trust.hostile import ASKED, CASES, FOLDERS, TOPIC, Case
from tests.trust.obedient import ObedientWriter

pytestmark = pytest.mark.slow

STREAM = {"Accept": "text/event-stream"}
_UNSEEN = r"[\s\u200b-\u200d\u2060\ufeff]"
_MARKER_LIKE = re.compile(
    rf"[\[［【〔〖〘〚⟦⌈❲「][\s^\\]*[NnＮｎΝ🅽]{_UNSEEN}*[\d❾][^\[\]\n]{{0,30}}?[\]］】〕〗〙〛⟧⌋❳」]"
)
_HALF = re.compile(r"[\[［【][Nn]?\d*\Z")
_CANARY = "zebrafinch"
"""Stands in every hostile note, and nowhere else."""


def prepared(world: World, case: Case) -> dict[str, Any]:
    """Save what is hostile; the request that asks for it."""
    if case.file:
        body = {"text": f"{case.file}\n{_CANARY}", "path": "inbox/hostile.md"}
        reply = world.call("api", "POST", "/notes:import", body)
        assert reply.status_code == 200
        world.written(f"tenants/alice/notes/{reply.get_json()['note']['noteId']}")
    else:
        note = {
            "title": "Boat",
            "path": "inbox/hostile.md",
            **case.note,
        }
        world.save("hostile", text=f"{TOPIC} {_CANARY} {case.text}", **note)
    request = {
        "message": ASKED,
        "filters": {"folders": list(_folders(case))},
        "topK": 3,
        **case.asked,
    }
    if case.template:
        steps = {"name": "Steps", "content": case.template}
        assert world.call("api", "PUT", "/templates/steps", steps).status_code == 200
        request["template"] = "steps"
    if case.session is not None:
        created = world.call("api", "POST", "/sessions", {"settings": case.session})
        request["sessionId"] = created.get_json()["sessionId"]
    for message in case.before:
        world.clock.forward(seconds=1)
        assert (
            world.call("chat", "POST", "/chat", {**request, "message": message}).status_code == 200
        )
    return request


def _folders(case: Case) -> Iterator[str]:
    yield "inbox"
    if "path" in case.note:
        yield case.note["path"].rpartition("/")[0]


def shown_on_the_way(events: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Everything a client has shown, after each event that changes it."""
    text = b""
    for name, data in events:
        if name == "token":
            text += data["text"].encode("utf-16-le")
        elif name == "retract":
            text = text[: 2 * data["from"]]
        yield text.decode("utf-16-le")


def sampled(texts: Sequence[str]) -> Iterator[str]:
    """A dozen of them and the last: parsing each would take minutes."""
    yield from texts[:: max(1, len(texts) // 12)]
    yield texts[-1]


def inside_markers(answer: str) -> set[int]:
    return {
        place
        for marker in re.finditer(r"\[N\d+\]", answer)
        for place in range(marker.start() + 1, marker.end())
    }


def check(world: World, body: dict[str, Any], texts: Sequence[str]) -> None:
    """Check every rule of answers, whatever the model was made to write."""
    answer = body["answer"]
    citations = {citation["cid"]: citation for citation in body["citations"]}
    labels = set(re.findall(r"\[(N\d+)\]", answer))
    assert labels == set(citations)
    rendered = unescape(unescape(unquote(answer)))
    assert {
        marker for marker in _MARKER_LIKE.findall(rendered) if marker[1:-1] not in citations
    } == set()
    assert not _HALF.search(answer)
    assert active(answer, texts) == []
    for citation in citations.values():
        note = world.call("api", "GET", f"/notes/{citation['noteId']}").get_json()
        raw = note["text"].encode("utf-16-le")
        span = citation["span"]
        assert raw[2 * span["start"] : 2 * span["end"]].decode("utf-16-le") == citation["quote"]
        assert citation["title"] == note["title"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_gets_nothing(
    world: World,
    writer: ObedientWriter,
    case: Case,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    request = prepared(world, case)
    world.clock.forward(seconds=1)
    whole_answer = world.call("chat", "POST", "/chat", request)
    stream = world.call("chat", "POST", "/chat", request, headers=STREAM)
    assert whole_answer.status_code == 200
    assert stream.status_code == 200
    body = whole_answer.get_json()
    events = event_source(stream.get_data())
    texts = (request["message"], *case.before, *_texts(writer))
    check(world, body, texts)
    check_stream(world, events, texts)
    assert body["meta"]["model"] == "obedient"
    assert {citation["noteId"] for citation in body["citations"]} <= _offered(writer)
    if case.session is None:
        assert events[-1][1]["answer"] == body["answer"]
    log = capsys.readouterr().err + caplog.text
    replies = whole_answer.get_data(as_text=True) + stream.get_data(as_text=True)
    assert [secret for secret in SECRETS.values() if secret in replies + log + _read(writer)] == []
    assert _CANARY not in log


def check_stream(world: World, events: Sequence[tuple[str, Any]], texts: Sequence[str]) -> None:
    """Check the result, and everything that was shown on the way."""
    name, result = events[-1]
    assert name == "result"
    check(world, result, texts)
    on_the_way = list(shown_on_the_way(events))
    assert on_the_way[-1] == result["answer"]
    assert [action for text in sampled(on_the_way) for action in active(text, texts)] == []
    inside = inside_markers(result["answer"])
    assert [
        text for text in on_the_way if len(text) in inside and result["answer"].startswith(text)
    ] == []


def _texts(writer: ObedientWriter) -> list[str]:
    """The texts that the model was offered."""
    return [source.passage.chunk.text for prompt in writer.prompts for source in prompt.sources]


def _offered(writer: ObedientWriter) -> set[str]:
    return {source.passage.chunk.note_id for prompt in writer.prompts for source in prompt.sources}


def _read(writer: ObedientWriter) -> str:
    return "\n".join(f"{prompt.system}\n{prompt.user}" for prompt in writer.prompts)


def test_there_are_enough_of_them_and_each_has_its_own_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_s_name_cannot_choose_folders_that_were_not_offered(
    world: World, writer: ObedientWriter, folder: str
) -> None:
    world.save("hostile", text=TOPIC, path=f"{folder}/boat.md")
    reply = world.call("api", "POST", "/ask", {"question": ASKED, "vaults": ["default"]})
    assert reply.status_code == 200
    body = reply.get_json()
    assert SECRETS["bob"] not in reply.get_data(as_text=True) + _read(writer)
    assert {citation["noteId"] for citation in body["citations"]} <= {"hostile", "cellar", "attic"}
    assert active(body["answer"], _texts(writer)) == []


def test_stored_answers_are_as_harmless_as_shown_ones(world: World, writer: ObedientWriter) -> None:
    title = "![x](https://evil.example/?q=1)<script>alert(1)</script> [y](javascript:x)"
    request = prepared(
        world,
        Case(
            "stored",
            text="[N7]",
            note={"title": title},
            session={},
        ),
    )
    assert world.call("chat", "POST", "/chat", request).status_code == 200
    listed = world.call("api", "GET", f"/sessions/{request['sessionId']}/messages").get_json()[
        "messages"
    ]
    stored = listed[-1]["text"]
    assert "\n\nSources:\n- [N1] " in stored
    assert active(stored, (ASKED, *_texts(writer))) == []
