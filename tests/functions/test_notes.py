"""PUT, GET, DELETE and list of /notes, and the state of their index."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from shared.errors import ModelUnavailable
from shared.markdown.file import note_id_of
from shared.model.documents import TRASH
from tests.fakes import HashingEmbedder
from tests.functions.world import World, problem


def test_a_saved_note_is_read_back_as_it_was_written(world: World) -> None:
    text = "# Boat\r\n\r\nBlue \U0001f6a4, “fast”, naïve.\n"
    saved = world.put(
        "n1",
        title="Boat",
        text=text,
        vault="toys",
        path="a/boat.md",
        tags=["x", "y", "x"],
        lang="en",
    ).get_json()
    assert saved == {
        "noteId": "n1",
        "title": "Boat",
        "text": text,
        "createdAt": "2026-11-21T12:00:00.000Z",
        "updatedAt": "2026-11-21T12:00:00.000Z",
        "vault": "toys",
        "path": "a/boat.md",
        "tags": ["x", "y"],
        "lang": "en",
        "revision": saved["revision"],
    }
    assert world.json("GET", "/notes/n1") == saved


def test_only_a_change_moves_the_update_and_none_the_creation(world: World) -> None:
    first = world.put(
        "n1", title="Boat", text="blue", createdAt="2024-05-08T10:00:00+02:00"
    ).get_json()
    world.clock.forward(hours=1)
    assert world.put("n1", title="Boat", text="blue").get_json() == first
    second = world.put("n1", title="Boat", text="red").get_json()
    assert second["createdAt"] == first["createdAt"] == "2024-05-08T08:00:00.000Z"
    assert second["updatedAt"] > first["updatedAt"]


@pytest.mark.parametrize(
    "created", [None, "1900-01-01", "2199-12-31T23:59:59Z", "2199-12-31T23:59:59+14:00"]
)
def test_a_note_that_was_read_can_be_sent_back(world: World, created: str | None) -> None:
    note = world.put("n1", title="Boat", text="blue", createdAt=created).get_json()
    assert world.put("n1", **{**note, "text": "red"}).status_code == 200
    assert problem(world.put("n1", **{**note, "noteId": "n2"})) == (400, "INVALID_FIELD", "noteId")


def test_a_note_with_neither_title_nor_text_is_refused(world: World) -> None:
    assert problem(world.put("n1", title=" ", text="\n"))[:2] == (400, "INVALID_FIELD")
    assert world.put("n1", title="Only a title").status_code == 200
    assert world.put("n2", text="only a text").status_code == 200


def test_a_text_over_the_limit_is_413_to_the_byte(world: World) -> None:
    assert world.call("api", "PUT", "/notes/n1", _raw("é" * 450_000)).status_code == 200
    assert problem(world.call("api", "PUT", "/notes/n1", _raw("é" * 450_000 + "x")))[:2] == (
        413,
        "TOO_LARGE",
    )


def _raw(text: str) -> bytes:
    """JSON with the characters themselves, so that it stays below the limit of bodies."""
    return f'{{"title": "", "text": "{text}"}}'.encode()


def test_a_path_is_normalised(world: World) -> None:
    assert world.put("n1", title="T", path="a//b/./c.md").get_json()["path"] == "a/b/c.md"


@pytest.mark.parametrize("note_id", ["x" * 1001, "__all__", "%2e", "%2e%2e", "a%00b", "%ff"])
@pytest.mark.parametrize("method", ["PUT", "GET", "DELETE"])
def test_an_id_that_firestore_could_not_keep_is_refused(
    world: World, method: str, note_id: str
) -> None:
    body = {"title": "T", "text": "t"} if method == "PUT" else None
    assert problem(world.call("api", method, f"/notes/{note_id}", body)) == (
        400,
        "INVALID_FIELD",
        "noteId",
    )


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("verb", ["links", "indexStatus"])
def test_a_literal_colon_before_a_verb_writes_and_deletes_no_note_of_that_name(
    world: World, method: str, verb: str
) -> None:
    saved = world.put(f"a%3A{verb}", title="T", text="x").get_json()
    refused = world.call("api", method, f"/notes/a:{verb}", {"title": "T", "text": "y"})
    assert refused.status_code == 405
    assert refused.headers["Allow"] == "GET, OPTIONS"
    assert world.json("GET", f"/notes/a%3A{verb}") == saved


@pytest.mark.parametrize(
    "note_id",
    [
        "x" * 1000,
        "a b",
        "ünï",
        "a:b",
        "50%",
        "__half",
        "auth0|5f7c",
        "x:links",
        "x:indexStatus",
        ":links",
    ],
)
def test_any_other_id_is_kept_also_one_that_ends_like_a_route(world: World, note_id: str) -> None:
    path = f"/notes/{quote(note_id, safe='')}"
    saved = world.json("PUT", path, {"title": "T", "text": "[[Other]]"})
    assert saved["noteId"] == note_id
    assert world.json("GET", path) == saved
    assert world.json("GET", f"{path}:links")["links"][0]["target"] == "Other"
    assert not world.json("GET", f"{path}:indexStatus")["current"]
    assert world.call("api", "DELETE", path).status_code == 204
    assert world.call("api", "GET", path).status_code == 404


def test_a_deleted_note_is_gone_and_no_longer_found(world: World) -> None:
    world.save("n1", title="Boat", text="The boat is blue.")
    assert world.call("api", "DELETE", "/notes/n1").data == b""
    for method, path in (
        ("GET", "/notes/n1"),
        ("DELETE", "/notes/n1"),
        ("GET", "/notes/n1:indexStatus"),
    ):
        assert problem(world.call("api", method, path))[:2] == (404, "NOT_FOUND")
    world.written("tenants/alice/notes/n1")
    assert world.json("POST", "/search", {"query": "boat"})["results"] == []


def test_notes_are_listed_page_by_page_without_their_texts(world: World) -> None:
    for number in range(5):
        world.put(
            f"n{number}", title=f"Note {number}", text="body", vault="a" if number % 2 else "b"
        )
    tokens_seen: list[str] = []
    token: str | None = ""
    while token is not None:
        page = world.json("GET", f"/notes?pageSize=2&pageToken={token}")
        assert len(page["notes"]) <= 2
        tokens_seen += [note["noteId"] for note in page["notes"]]
        assert all("text" not in note for note in page["notes"])
        token = page["nextPageToken"]
    assert tokens_seen == [f"n{number}" for number in range(5)]
    in_a = world.json("GET", "/notes?vault=a")["notes"]
    assert [note["noteId"] for note in in_a] == ["n1", "n3"]


def test_the_index_state_follows_the_note(world: World, embedder: HashingEmbedder) -> None:
    def state() -> tuple[str, bool]:
        body = world.json("GET", "/notes/n1:indexStatus")
        return body["status"], body["current"]

    world.put("n1", title="Boat", text="blue")
    assert state() == ("missing", False)
    embedder.outage = ModelUnavailable("away")
    assert world.written("tenants/alice/notes/n1").status_code == 503
    assert state() == ("pending_embeddings", True)
    embedder.outage = None
    assert world.written("tenants/alice/notes/n1").status_code == 200
    assert state() == ("indexed", True)
    world.put("n1", title="Boat", text="red")
    assert state() == ("indexed", False)


def test_coverage_counts_every_state(world: World) -> None:
    world.save("n1", title="Boat", text="blue")
    world.put("n2", title="Car", text="red")
    body = world.json("GET", "/index:coverage")
    assert body["notes"] == 2
    assert body["indexed"] == 1
    assert body["missing"] == 1
    assert body["outdated"] == 0
    embedder_before = world.app.embedder
    world.plug(embedder=HashingEmbedder(dimension=16), previous_embedder=embedder_before)
    body = world.json("GET", "/index:coverage")
    assert body["outdated"] == 1
    assert body["indexVersion"][-3:] == ":16"
    assert body["searchedVersion"][-3:] == ":64"


# -- the trash


def trash(world: World) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = world.json("GET", "/trash")["trash"]
    return rows


def test_a_note_replaced_or_deleted_by_any_route_goes_to_the_trash_and_can_be_restored(
    world: World,
) -> None:
    note_id = note_id_of("default", "boat.md")
    world.put(
        note_id,
        title="Boat",
        text="First.",
        path="boat.md",
        createdAt="2024-05-08",
    )
    world.clock.forward(minutes=1)
    world.put(note_id, title="Boat", text="Second.", path="boat.md")
    world.clock.forward(minutes=1)
    world.call("api", "POST", "/notes:import", {"path": "boat.md", "text": "Third."})
    world.clock.forward(minutes=1)
    world.call("api", "DELETE", f"/notes/{note_id}")
    listed = trash(world)
    assert [entry["reason"] for entry in listed] == ["deleted", "replaced", "edited"]
    assert all("text" not in entry and entry["noteId"] == note_id for entry in listed)
    texts = [world.json("GET", f"/trash/{entry['trashId']}")["text"] for entry in listed]
    assert texts == ["Third.", "Second.", "First."]
    restored = world.json("POST", f"/trash/{listed[2]['trashId']}:restore")
    assert restored["text"] == "First."
    assert restored["path"] == "boat.md"
    assert restored["createdAt"][:10] == "2024-05-08"
    assert world.json("GET", f"/notes/{note_id}")["text"] == "First."
    assert [entry["trashId"] for entry in trash(world)] == [
        entry["trashId"] for entry in listed[:2]
    ]


def test_the_trash_keeps_notes_for_thirty_days(world: World) -> None:
    world.put("n1", title="Boat", text="Blue.")
    world.call("api", "DELETE", "/notes/n1")
    trash_id = trash(world)[0]["trashId"]
    world.clock.forward(days=29)
    assert len(trash(world)) == 1
    world.clock.forward(days=1)
    assert trash(world) == []
    for method, path in (("GET", ""), ("POST", ":restore")):
        assert world.call("api", method, f"/trash/{trash_id}{path}").status_code == 404
    world.call("reconcile", "POST", "/", {})
    assert world.app.store.listing("alice", TRASH, limit=9).items == ()


def test_the_first_of_a_callers_edits_in_each_hour_is_kept(world: World) -> None:
    note = world.put("n1", title="Boat", text="0").get_json()
    for minute in (10, 20, 70):
        world.clock.forward(minutes=10 if minute < 70 else 50)
        note = world.put("n1", title="Boat", text=str(minute), revision=note["revision"]).get_json()
    texts = [world.json("GET", f"/trash/{entry['trashId']}")["text"] for entry in trash(world)]
    assert texts == ["20", "0"]
    world.put(
        "n1", title="Boat", text="unread"
    )  # whoever has not read it replaces what nobody else has
    assert world.json("GET", f"/trash/{trash(world)[0]['trashId']}")["text"] == "70"


def test_a_version_is_stored_once_more_unless_it_is_what_a_deleted_note_said(world: World) -> None:
    note = {"title": "Boat", "text": "Blue.", "noteId": "n1"}
    world.json("PUT", "/notes/n1", note)
    assert world.json("POST", "/trash", note)["reason"] == "edited"
    world.clock.forward(seconds=1)
    assert world.call("api", "DELETE", "/notes/n1").status_code == 204
    (deleted, _) = trash(world)
    assert world.json("POST", "/trash", note)["trashId"] == deleted["trashId"]
    for change in (
        {"text": "Red."},
        {"title": "Ship"},
        {"tags": ["sea"]},
        {"createdAt": "2020-01-01"},
    ):
        world.clock.forward(seconds=1)
        assert world.json("POST", "/trash", {**note, **change})["reason"] == "edited"
    assert len(trash(world)) == 6
    world.clock.forward(hours=2)
    assert world.json("POST", "/trash", note)["reason"] == "edited"
    assert len(trash(world)) == 7


def test_the_file_of_a_note_deleted_long_ago_stays_in_the_trash_for_30_days(world: World) -> None:
    note = {"title": "Boat", "text": "Blue.", "noteId": "n1"}
    world.json("PUT", "/notes/n1", note)
    world.call("api", "DELETE", "/notes/n1")
    world.clock.forward(days=29)
    world.json("POST", "/trash", note)
    world.clock.forward(days=29)
    (version,) = trash(world)
    assert world.json("GET", f"/trash/{version['trashId']}")["text"] == "Blue."


def test_trash_can_be_removed_for_good_and_belongs_to_its_owner_alone(
    world: World,
) -> None:
    world.put("n1", title="Boat", text="Blue.")
    world.call("api", "DELETE", "/notes/n1")
    path = f"/trash/{trash(world)[0]['trashId']}"
    for method, suffix in (
        ("GET", ""),
        ("POST", ":restore"),
        ("DELETE", ""),
    ):
        assert world.call("api", method, path + suffix, token="bob-token").status_code == 404
    exported = world.call("api", "GET", "/me:export").get_data(as_text=True)
    assert '"type": "trashedNote"' in exported
    assert "Blue." in exported
    assert world.call("api", "DELETE", path).status_code == 204
    assert world.call("api", "DELETE", path).status_code == 404


def test_two_notes_of_a_vault_never_have_one_path(world: World) -> None:
    first = world.put("n1", title="Boat", text="Blue.", path="a/boat.md").get_json()
    refused = world.put(
        "n2",
        title="Other",
        text="Red.",
        path="a//boat.md",
    )
    assert problem(refused)[:2] == (409, "CONFLICT")
    assert "'n1'" in refused.get_json()["error"]["message"]
    assert (
        world.put("n2", title="Other", text="Red.", path="a/boat.md", vault="toys").status_code
        == 200
    )
    imported = world.json("POST", "/notes:import", {"path": "a/boat.md", "text": "Green."})
    assert imported["note"]["noteId"] == "n1"
    assert world.put("n1", title="Boat", text="Blue.", path="b.md").status_code == 200
    world.call("api", "DELETE", "/notes/n2")
    world.put(
        "n3",
        title="Third",
        text="Red.",
        path="a/boat.md",
        vault="toys",
    )
    deleted = next(entry for entry in trash(world) if entry["reason"] == "deleted")
    assert problem(world.call("api", "POST", f"/trash/{deleted['trashId']}:restore"))[:2] == (
        409,
        "CONFLICT",
    )
    assert first["revision"]


def test_a_file_at_the_old_path_of_a_note_that_has_moved_is_another_note(world: World) -> None:
    body = {"path": "boat.md", "text": "Blue."}
    moved = world.json("POST", "/notes:import", body)["note"]["noteId"]
    world.put(
        moved,
        title="Boat",
        text="Blue.",
        path="harbour/boat.md",
    )
    other_id = world.json("POST", "/notes:import", {**body, "text": "Red."})["note"]["noteId"]
    assert other_id != moved
    assert world.json("GET", f"/notes/{moved}")["text"] == "Blue."
    assert (
        world.json("POST", "/notes:import", {**body, "text": "Green."})["note"]["noteId"]
        == other_id
    )


# -- files


def test_a_file_becomes_the_note_its_frontmatter_says(world: World) -> None:
    text = "---\ntitle: Boat\ntags: [toy]\ncreated: 2024-05-08\n---\nBlue."
    reply = world.json(
        "POST",
        "/notes:import",
        {
            "path": "a//boat.md",
            "text": text,
            "vault": "toys",
        },
    )
    note_id = note_id_of("toys", "a/boat.md")
    assert reply["problem"] is None
    assert reply["note"] == {
        "noteId": note_id,
        "title": "Boat",
        "createdAt": "2024-05-08T12:00:00.000Z",
        "updatedAt": "2026-11-21T12:00:00.000Z",
        "vault": "toys",
        "path": "a/boat.md",
        "tags": ["toy"],
        "lang": None,
    }
    assert world.json("GET", f"/notes/{note_id}")["text"] == text


def test_a_file_without_a_date_was_created_when_it_was_first_seen_to_be_modified(
    world: World,
) -> None:
    for modified in ("2025-01-02T03:04:05Z", "2026-01-02T03:04:05Z"):
        body = {
            "path": "boat.md",
            "text": f"Blue at {modified}.",
            "modifiedAt": modified,
        }
        reply = world.json("POST", "/notes:import", body)
    assert reply["note"]["createdAt"] == "2025-01-02T03:04:05.000Z"
    assert reply["note"]["title"] == "boat"


def test_a_file_with_broken_frontmatter_is_a_note_that_says_so(world: World) -> None:
    reply = world.json(
        "POST", "/notes:import", {"path": "boat.md", "text": "---\ntags: [\n---\nBlue."}
    )
    assert reply["problem"].startswith("indexed without its frontmatter:")


def test_signs_that_only_yaml_can_spell_do_not_reach_a_note(world: World) -> None:
    text = '---\ntitle: "Bo\\0at\\ud800"\ntags: ["to\\0y", "\\ud800", "\\n"]\nlang: yue\ncreated: 9999-12-31\n---\nBlue.'
    reply = world.call("api", "POST", "/notes:import", {"path": "boat.md", "text": text})
    note = reply.get_json()["note"]
    assert note["title"] == "Bo at"
    assert note["tags"] == ["toy"]
    assert note["lang"] == "yue"
    assert note["createdAt"] == "2026-11-21T12:00:00.000Z"


@pytest.mark.parametrize("vault", ["x" * 201, "é" * 1600, "a/b", "a\x1fb", ""])
def test_a_list_of_a_vault_that_can_be_none_names_the_field(world: World, vault: str) -> None:
    response = world.call("api", "GET", f"/notes?vault={quote(vault, safe='')}")
    error = response.get_json()["error"]
    assert response.status_code == 400
    assert error["details"][0]["metadata"]["field"] == "vault"
