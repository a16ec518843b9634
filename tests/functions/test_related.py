"""GET /notes/{id}:related."""

from __future__ import annotations

from tests.functions.world import World


def related(world: World, note_id: str) -> list[str]:
    body = world.json("GET", f"/notes/{note_id}:related")
    assert body["noteId"] == note_id
    return [note["noteId"] for note in body["related"]]


def test_notes_of_one_subject_are_related_and_no_others(world: World) -> None:
    world.save("kayak", title="Kayak", text="The kayak leaks at the bow seam, mend it with resin.")
    world.save("repair", title="Repairs", text="Mend the kayak: resin on the bow seam that leaks.")
    world.save("tax", title="Taxes", text="Declaration, office, July, forms, receipts.")
    assert related(world, "kayak") == ["repair"]
    assert related(world, "tax") == []
    row = world.json("GET", "/notes/kayak:related")["related"][0]
    assert row["title"] == "Repairs"
    assert row["similarity"] >= 0.7
    assert row["span"] == {
        "start": 0,
        "end": len("Mend the kayak: resin on the bow seam that leaks."),
    }


def test_a_deleted_note_is_related_to_nothing(world: World) -> None:
    world.save("kayak", title="Kayak", text="The kayak leaks at the bow seam, mend it with resin.")
    world.save("repair", title="Repairs", text="Mend the kayak: resin on the bow seam that leaks.")
    assert world.call("api", "DELETE", "/notes/repair").status_code == 204
    assert related(world, "kayak") == []
    assert world.call("api", "GET", "/notes/repair:related").status_code == 404
