"""`aurora eval`, in this process, on a home of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.extras import install_command
from tests.cli.conftest import Aurora, Write
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer

pytestmark = pytest.mark.slow

SUPPORT = Path(__file__).parents[3] / "examples" / "support.jsonl"

NOTES = {
    "toys/boat.md": "---\ncreated: 2026-05-08\n---\n# Boat\n\nThe boat is blue and floats.\n",
    "garden.md": "---\ncreated: 2026-06-01\n---\n# Garden\n\nWe planted six tomatoes behind the house.\n",
}
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "boat",
        "text": "What colour is the boat?",
        "relevant": {"toys/boat.md": 1},
        "slice": "toys",
    },
    {
        "id": "garden",
        "text": "How many tomatoes did we plant?",
        "relevant": {"garden.md": 1},
    },
    {
        "id": "none",
        "text": "What is the wifi password?",
        "unanswerable": True,
    },
]


def _golden(folder: Path, questions: list[dict[str, Any]]) -> str:
    file = folder / "golden.jsonl"
    file.write_text(
        "".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8"
    )
    return str(file)


def test_a_golden_file_is_asked_and_measured(aurora: Aurora, notes: Write, tmp_path: Path) -> None:
    report = aurora.json("eval", _golden(tmp_path, QUESTIONS), "--notes", str(notes(NOTES)))
    (variant,) = report["variants"]
    assert variant["overall"]["MRR"] == 1.0
    assert set(variant["slices"]) == {"toys", "all"}
    assert variant["refusals"] == {
        "accuracy": 1.0,
        "unanswerableRefused": 1.0,
        "answerableRefused": 0.0,
    }
    assert variant["citations"]["recall"] == 1.0


def test_variants_stand_side_by_side(aurora: Aurora, notes: Write, tmp_path: Path) -> None:
    options = [
        ("--strategy", "weighted"),
        ("--strategy", "rrf"),
        ("--chunker", "markdown"),
        ("--chunker", "whole"),
    ]
    options += [("--embedder", "configured"), ("--embedder", "none")]
    flat = [word for option in options for word in option]
    report = aurora.json(
        "eval", _golden(tmp_path, QUESTIONS), "--notes", str(notes(NOTES)), "--no-chat", *flat
    )
    labels = [variant["variant"] for variant in report["variants"]]
    assert len(set(labels)) == 8
    assert "rrf · none · whole" in labels
    assert all("refusals" not in variant for variant in report["variants"])


def test_tuning_reports_the_half_it_was_not_tuned_on(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    report = aurora.json(
        "eval", _golden(tmp_path, QUESTIONS), "--notes", str(notes(NOTES)), "--no-chat", "--tune"
    )
    (tuned,) = report["tuned"]
    assert tuned["change"] == {}
    assert tuned["heldOutHalf"] == {"before": 1.0, "after": 1.0}


def test_your_own_notes_are_asked_and_not_touched(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    aurora("index", str(notes(NOTES)))
    results_before = aurora.json("search", "boat")["results"]
    report = aurora.json("eval", _golden(tmp_path, QUESTIONS), "--slice", "toys")
    assert report["notes"] == 2
    assert report["questions"] == 1
    assert aurora.json("search", "boat")["results"] == results_before


def test_a_collection_is_measured_vault_by_vault(aurora: Aurora, tmp_path: Path) -> None:
    rows: dict[str, list[dict[str, Any]]] = {
        "notes": [
            {
                "id": f"{scope}/n",
                "scope": scope,
                "text": "The boat is blue.",
            }
            for scope in ("one", "two")
        ],
        "queries": [{"id": "two/q", "text": "Which colour has the boat?"}],
        "qrels": [
            {
                "query_id": "two/q",
                "note_id": "two/n",
                "relevance": 1,
            }
        ],
    }
    for name, listed in rows.items():
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in listed), encoding="utf-8"
        )
    report = aurora.json("eval", "--collection", str(tmp_path))
    assert report["variants"][0]["overall"]["P@1"] == 1.0


def test_first_level_folders_are_vaults_where_questions_name_them(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(
        {
            "en/boat.md": "The boat is blue.\n",
            "de/boat.md": "Das Boot ist rot.\n",
            "README.md": "No note.\n",
        }
    )
    questions = [
        {
            "id": "en",
            "text": "boat",
            "vault": "en",
            "relevant": {"boat.md": 2},
            "answer_facts": ["boat is blue"],
        },
        {
            "id": "de",
            "text": "boat rot",
            "vault": "de",
            "slice": "keyword",
            "relevant": {"boat.md": 2},
        },
    ]
    report = aurora.json("eval", _golden(tmp_path, questions), "--notes", str(folder))
    (variant,) = report["variants"]
    assert report["notes"] == 2
    assert {name: figures["hit@5"] for name, figures in variant["slices"].items()} == {
        "en all": 1.0,
        "de keyword": 1.0,
    }
    assert variant["answers"]["en all"] == {
        "refused": 0.0, "right note cited": 1.0, "facts": 1.0, "complete first": 1.0,
        "precision": 1.0, "recall": 1.0
    }  # fmt: skip


def test_questions_about_other_notes_are_asked_and_counted_when_refused(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    foreign_file = tmp_path / "other.jsonl"
    entry = {
        "id": "q",
        "text": "Which ferry goes to Elba?",
        "vault": "far",
        "relevant": ["ferries.md"],
    }
    foreign_file.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    golden = _golden(tmp_path, QUESTIONS)
    report = aurora.json(
        "eval", golden, "--notes", str(notes(NOTES)), "--foreign", str(foreign_file)
    )
    assert report["variants"][0]["foreignRefused"] == {"other": 1.0}


def test_people_get_a_table_and_a_page(aurora: Aurora, notes: Write, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = aurora(
        "eval",
        _golden(tmp_path, QUESTIONS),
        "--notes",
        str(notes(NOTES)),
        "--tune",
        "--html",
        str(page),
    )
    assert result.exit_code == 0, result.output
    assert "nDCG@10" in result.stdout
    assert "nothing did better" in result.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    nowhere = str(tmp_path / "nowhere" / "page.html")
    result = aurora(
        "eval",
        _golden(tmp_path, QUESTIONS),
        "--notes",
        str(notes(NOTES)),
        "--no-chat",
        "--html",
        nowhere,
    )
    assert result.exit_code == 1
    assert nowhere in result.stderr
    assert "nDCG@10" in result.stdout


def test_wrong_use_is_told_and_ends_with_two(aurora: Aurora, notes: Write, tmp_path: Path) -> None:
    folder = str(notes(NOTES))
    golden = _golden(
        tmp_path,
        [
            *QUESTIONS,
            {
                "id": "lost",
                "text": "?",
                "relevant": ["missing.md"],
            },
        ],
    )
    unknown = aurora("eval", golden, "--notes", folder)
    assert unknown.exit_code == 2
    assert "missing.md" in unknown.stderr
    assert aurora("eval", golden, "--notes", folder, "--slice", "nothing").exit_code == 2
    assert aurora("eval", golden, "--notes", folder, "--now", "soon").exit_code == 2
    assert aurora("eval").exit_code == 2
    assert aurora("eval", golden, "--collection", folder).exit_code == 2
    assert aurora("eval", "--support", str(SUPPORT), str(SUPPORT)).exit_code == 2
    tuned = aurora("eval", _golden(tmp_path, QUESTIONS[1:]), "--notes", folder, "--tune")
    assert tuned.exit_code == 2
    assert tuned.stderr.startswith("aurora: --tune: expected") is True
    attic = _golden(tmp_path, [{**QUESTIONS[0], "filters": {"vaults": ["attic"]}}])
    named = aurora("eval", attic, "--notes", folder)
    message = "aurora: question boat: no vault 'attic'; there are: default"
    assert named.exit_code == 1
    assert named.stderr.strip() == message


def test_metrics_that_are_not_installed_are_asked_for(
    aurora: Aurora, notes: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    result = aurora("eval", _golden(tmp_path, QUESTIONS), "--notes", str(notes(NOTES)))
    assert result.exit_code == 1
    assert install_command("ir-measures") in result.stderr


def test_what_a_writing_model_is_asked_is_told_before_it_is_asked(
    aurora: Aurora, notes: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = _golden(tmp_path, QUESTIONS)
    folder = str(notes(NOTES))
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("CHAT_MODEL", "writes")
        log = aurora(
            "eval", golden, "--notes", folder, "--strategy", "weighted", "--strategy", "rrf"
        ).stderr
        assert (
            "6 answers by writes: at most about 21,000 tokens of prompts and 12,288 of answers, for nothing"
            in log
        )
        server.requests.clear()
        assert "answers by" not in aurora("eval", golden, "--notes", folder, "--no-chat").stderr
        assert [request.path for request in server.requests] == []
        assert (
            "3 answers by"
            in aurora("eval", golden, "--notes", folder, "--no-chat", "--foreign", golden).stderr
        )


def _answers(server: GeminiServer) -> list[str]:
    return [request.path for request in server.requests if "enerateContent" in request.path]


def test_a_model_that_is_paid_for_is_asked_only_with_leave(
    aurora: Aurora, notes: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("eval", _golden(tmp_path, QUESTIONS), "--notes", str(notes(NOTES)))
    with GeminiServer() as server:
        monkeypatch.setenv("GEMINI_API_KEY", "key")
        monkeypatch.setenv("GEMINI_BASE_URL", server.url)
        stopped = aurora(*arguments)
        assert stopped.exit_code == 2
        assert server.requests == []
        message, why = stopped.stderr.splitlines()
        assert message.startswith(
            "3 answers by gemini-3.5-flash-lite: at most about 10,500 tokens of prompts"
        )
        # 10,500 at 0.30 and 6,144 at 2.50 dollars a million
        assert message.endswith(" and 6,144 of answers, USD 0.02 by the list prices of 2026-11")
        assert (
            why
            == "aurora: there is no terminal to ask whether to pay for 3 answers: --yes confirms it"
        )
        monkeypatch.setattr("cli.commands.evaluate_cost.can_be_asked", lambda: True)
        declined = aurora(*arguments)  # standard input is empty, which is no yes
        assert declined.exit_code != 0
        assert server.requests == []
        assert aurora(*arguments, "--yes").exit_code == 0
        assert 0 < len(_answers(server)) <= 3
    monkeypatch.setenv("GEMINI_API_KEY", "")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    monkeypatch.setenv("CHAT_MODEL", "writes")
    monkeypatch.setattr("cli.commands.evaluate_cost.can_be_asked", lambda: False)
    elsewhere = aurora(*arguments)
    assert elsewhere.exit_code == 2
    assert elsewhere.stderr.splitlines()[0].endswith(", price unknown") is True


def test_the_judge_of_support_is_measured_on_labelled_pairs(aurora: Aurora) -> None:
    report = aurora.json("eval", "--support", str(SUPPORT))
    assert report["judge"] == "offline"
    assert set(report["parts"]) == {"all", "held out"}
    assert report["parts"]["all"]["number"]["auc"] >= 0.95
    assert "AUC" in aurora("eval", "--support", str(SUPPORT)).output
