from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.support import judge_pairs, support_figures
from evaluation.support_pairs import Pair, pairs_of, read_pairs
from shared.errors import InvalidArgument
from shared.judging.support import OfflineJudge

PAIRS = Path(__file__).parents[2] / "examples" / "support.jsonl"
TEXTS = (
    "Priya measured 40 percent fewer errors with the new Kafka queue in March. It was switched on by the team at noon.",
    "The larch beds of the garden are 60 centimetres high and cost 184 euros in all. Worms moved in after three weeks.",
    "Sleep lasts 18 minutes longer without coffee, as the watch of Elena has shown. Screens made no difference at all.",
)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    rows: dict[str, list[dict[str, object]]] = {
        "notes.jsonl": [{"id": f"n{number}", "text": text} for number, text in enumerate(TEXTS)],
        "queries.jsonl": [
            {"id": "q0", "text": "With the Kafka queue all errors are 40 percent fewer in weeks."},
            {"id": "q1", "text": "How much do the beds cost?"},
        ],
        "qrels.jsonl": [
            {"query_id": "q0", "note_id": "n0", "relevance": 1},
            {"query_id": "q1", "note_id": "n1", "relevance": 1},
        ],
    }
    for name, lines in rows.items():
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def by_kind(pairs: tuple[Pair, ...], source: str) -> dict[str, Pair]:
    return {pair.kind: pair for pair in pairs if pair.source == source}


def test_a_claim_is_altered_in_every_way_and_questions_claim_nothing(collection: Path) -> None:
    kinds = by_kind(pairs_of(collection, sentences_wanted=3), "claims")
    assert (
        kinds["supported"].claim == "With the Kafka queue all errors are 40 percent fewer in weeks."
    )
    assert {kind for kind, pair in kinds.items() if pair.passage.note_id == "n0"} == {
        "supported", "number", "name", "negation"
    }  # fmt: skip
    assert "40" not in kinds["number"].claim
    assert "Kafka" not in kinds["name"].claim
    assert (
        kinds["negation"].claim
        == "With the Kafka queue all errors are not 40 percent fewer in weeks."
    )
    assert {kinds["other"].passage.note_id, kinds["nearest"].passage.note_id} <= {"n1", "n2"}


def test_sentences_of_the_passages_are_claims_too(collection: Path) -> None:
    pairs = pairs_of(collection, sentences_wanted=3)
    thinned = [pair for pair in pairs if pair.source == "sentences" and pair.supported]
    assert len(thinned) == 3
    for pair in thinned:
        assert set(pair.claim.split()) <= set(pair.passage.text.split())


def test_the_same_collection_gives_the_same_pairs_and_no_claim_is_in_both_halves(
    collection: Path,
) -> None:
    pairs = pairs_of(collection)
    assert pairs == pairs_of(collection)
    halves = {
        pair.claim_id: {
            pair_of_claim.held_out
            for pair_of_claim in pairs
            if pair_of_claim.claim_id == pair.claim_id
        }
        for pair in pairs
    }
    assert all(len(half) == 1 for half in halves.values())


@pytest.mark.slow
def test_the_offline_judge_tells_our_own_pairs_apart() -> None:
    pairs = read_pairs(PAIRS)
    figures = support_figures(pairs, judge_pairs(pairs, OfflineJudge()))
    least = {
        "overall": 0.97,
        "number": 0.95,
        "name": 0.93,
        "negation": 0.95,
        "other": 0.97,
    }
    assert len(pairs) >= 60
    assert {kind: auc for kind, auc in least.items() if (figures[kind].auc or 0) < auc} == {}
    assert (figures["overall"].precision or 0) >= 0.85
    assert (figures["overall"].recall or 0) >= 0.9


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(
        '{"id": "a/x", "kind": "supported", "claim": "A.", "passage": "A."}\n{"id": "b"}\n'
    )
    with pytest.raises(InvalidArgument, match=r"pairs\.jsonl:2"):
        read_pairs(file)
