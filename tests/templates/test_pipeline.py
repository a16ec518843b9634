"""The library on a real store: what is embedded when, and what a search gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.errors import InvalidArgument, ModelRefused, ModelUnavailable
from shared.model.templates import StoredTemplate, Template, TemplateKey
from shared.templates import pipeline
from shared.templates.embedding import CONTENT_READ, embedded_text, is_current
from tests.contracts.samples import OTHER, TENANT, unit
from tests.fakes import HashingEmbedder

BOAT = Template("boat", "Boat repair", "1. Find the leak.", keywords=("boat", "leak"), description="Mend a boat.")
QUERY = "boat repair find the leak mend a boat"


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder(batch_size=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "templates"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.md").write_text(f"---\nname: {name}\n---\n1. Do {name}.")
    return folder


Index = Callable[[], pipeline.TemplateReport]


@pytest.fixture
def index(embedded_store: EmbeddedStore, embedder: HashingEmbedder, folder: Path) -> Index:
    return lambda: pipeline.index(TENANT, [folder], store=embedded_store, embedder=embedder)


def _refresh(store: EmbeddedStore, embedder: HashingEmbedder | None, template_id: str = "boat") -> str:
    return pipeline.refresh(TemplateKey(TENANT, template_id), store=store, embedder=embedder)


def _found(store: EmbeddedStore, embedder: HashingEmbedder | None, query: str = QUERY) -> list[tuple[str, bool]]:
    """Ids, and whether they came by similarity."""
    matches = pipeline.search(TENANT, query, top_k=3, store=store, embedder=embedder)
    return [(match.template.template_id, match.score != 0.5) for match in matches]


# -- index


def test_indexing_counts_and_embeds_each_file_once(index: Index, embedder: HashingEmbedder) -> None:
    assert (index().count, sum(embedder.embedded.values())) == (3, 3)
    again = index()
    assert (again.count, again.written, again.removed) == (3, 0, 0)
    assert sum(embedder.embedded.values()) == 3


def test_only_a_changed_file_is_embedded_again(index: Index, embedder: HashingEmbedder, folder: Path) -> None:
    index()
    (folder / "two.md").write_text("---\nname: two\n---\n1. Do it otherwise.")
    (folder / "three.md").unlink()
    report = index()
    assert (report.count, report.written, report.removed) == (2, 1, 1)
    assert sum(embedder.embedded.values()) == 4


def test_a_touched_file_with_the_same_text_is_not_embedded(
    index: Index, embedder: HashingEmbedder, folder: Path
) -> None:
    index()
    (folder / "two.md").touch()
    assert index().written == 0
    assert sum(embedder.embedded.values()) == 3


def test_bad_files_are_reported_and_logged_and_the_rest_is_indexed(
    index: Index, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "bad.md").write_text("no frontmatter")
    report = index()
    assert (report.count, [problem.template_id for problem in report.problems]) == (3, ["bad"])
    assert "bad.md" in caplog.text


@pytest.mark.parametrize("outage", [ModelUnavailable("away"), ModelRefused("bad key")])
def test_without_the_model_templates_are_indexed_and_get_their_vectors_later(
    index: Index, embedder: HashingEmbedder, embedded_store: EmbeddedStore, outage: ModelUnavailable | ModelRefused
) -> None:
    embedder.outage = outage
    assert index().written == 3
    assert not pipeline.ready(TENANT, store=embedded_store, embedder=embedder)
    assert _found(embedded_store, embedder, "two Do two.") == [("chain-of-thought", False)]
    embedder.outage = None
    assert _found(embedded_store, embedder, "two Do two.")[0] == ("two", True)
    assert pipeline.ready(TENANT, store=embedded_store, embedder=embedder)


def test_an_empty_folder_is_no_error(embedded_store: EmbeddedStore, embedder: HashingEmbedder, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert pipeline.index(TENANT, [empty], store=embedded_store, embedder=embedder).count == 0
    assert _found(embedded_store, embedder) == [("chain-of-thought", False)]


def test_tenants_have_libraries_of_their_own(index: Index, embedded_store: EmbeddedStore) -> None:
    index()
    assert embedded_store.templates(OTHER) == ()


# -- add


def test_adding_replaces_and_embeds_only_what_is_new(embedded_store: EmbeddedStore, embedder: HashingEmbedder) -> None:
    for template, calls in (
        (BOAT, 1),
        (BOAT, 1),
        (replace(BOAT, domain="ships"), 1),  # the domain is not embedded
        (replace(BOAT, name="Ship repair"), 2),
    ):
        pipeline.add(TENANT, template, store=embedded_store, embedder=embedder)
        stored = embedded_store.get_template(TENANT, "boat")
        assert stored is not None
        assert stored.template == template
        assert is_current(stored, embedder)
        assert sum(embedder.embedded.values()) == calls


def test_adding_without_an_embedder_keeps_a_vector_that_is_there(
    embedded_store: EmbeddedStore, embedder: HashingEmbedder
) -> None:
    pipeline.add(TENANT, BOAT, store=embedded_store, embedder=embedder)
    pipeline.add(TENANT, BOAT, store=embedded_store, embedder=None)
    assert _found(embedded_store, embedder) == [("boat", True)]


def test_what_is_over_a_limit_is_not_added(embedded_store: EmbeddedStore, embedder: HashingEmbedder) -> None:
    with pytest.raises(InvalidArgument):
        pipeline.add(TENANT, Template("auto", "A", "1."), store=embedded_store, embedder=embedder)
    assert embedded_store.templates(TENANT) == ()


# -- refresh


def test_a_refresh_embeds_once_and_then_finds_nothing_to_do(
    embedded_store: EmbeddedStore, embedder: HashingEmbedder
) -> None:
    embedded_store.put_templates(TENANT, [StoredTemplate(BOAT)])
    assert [_refresh(embedded_store, embedder) for _ in range(3)] == ["embedded", "unchanged", "unchanged"]
    assert sum(embedder.embedded.values()) == 1


def test_a_stale_vector_is_known_by_its_key(embedded_store: EmbeddedStore, embedder: HashingEmbedder) -> None:
    embedded_store.put_templates(TENANT, [StoredTemplate(BOAT, unit(*range(1, 65)), "hashing:64:of another text")])
    assert _refresh(embedded_store, embedder) == "embedded"
    assert _refresh(embedded_store, HashingEmbedder(32)) == "embedded"
    assert _refresh(embedded_store, None) == "unchanged"
    assert _refresh(embedded_store, embedder, "gone") == "gone"


def test_a_vector_of_a_wrong_length_is_replaced_before_it_is_compared(
    embedded_store: EmbeddedStore, embedder: HashingEmbedder
) -> None:
    pipeline.add(TENANT, BOAT, store=embedded_store, embedder=embedder)
    stored = embedded_store.get_template(TENANT, "boat")
    assert stored is not None
    embedded_store.put_template_vector(TENANT, "boat", unit(1, 2), stored.vector_key or "")
    assert _found(embedded_store, embedder) == [("boat", True)]


# -- search


def test_the_similar_one_is_found_and_nothing_else(index: Index, embedded_store: EmbeddedStore) -> None:
    embedder = HashingEmbedder(batch_size=2)
    index()
    pipeline.add(TENANT, BOAT, store=embedded_store, embedder=embedder)
    assert _found(embedded_store, embedder) == [("boat", True)]
    assert _found(embedded_store, embedder, "quark lepton") == [("chain-of-thought", False)]


def test_without_an_embedder_or_while_it_is_away_the_chain_of_thought_is_given(
    embedded_store: EmbeddedStore, embedder: HashingEmbedder
) -> None:
    pipeline.add(TENANT, BOAT, store=embedded_store, embedder=embedder)
    assert _found(embedded_store, None) == [("chain-of-thought", False)]
    embedder.outage = ModelUnavailable("away")
    assert _found(embedded_store, embedder) == [("chain-of-thought", False)]


def test_what_is_embedded_is_name_description_keywords_methodology_and_the_beginning() -> None:
    long = Template("t", "Name", "x" * 2000, "D", "C", "Method", ("k1", "k2"), "About.")
    assert embedded_text(long) == "Name\nAbout.\nk1, k2\nMethod\n" + "x" * CONTENT_READ
