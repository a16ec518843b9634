"""Templates of folders and of tenants in a store in memory: what is embedded when, and what a search gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shared.errors import InvalidArgument, ModelRefused, ModelUnavailable
from shared.model.documents import TEMPLATES
from shared.model.templates import StoredTemplate, Template
from shared.ports.documents import DocumentStore
from shared.ports.models import Embedder
from shared.templates.cache import FolderCache
from shared.templates.ranking import has_current_vector
from shared.templates.service import Templates
from tests.contracts.samples import OTHER, TENANT, unit
from tests.fakes import HashingEmbedder
from tests.memory_store import MemoryStore

BOAT = Template(
    "boat",
    "Boat repair",
    "1. Find the leak.",
    keywords=("boat", "leak"),
    description="Mend a boat.",
)
QUERY = "boat repair find the leak mend a boat"
CHAIN = [("chain-of-thought", False)]


@pytest.fixture
def store() -> DocumentStore:
    return MemoryStore()


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


Having = Callable[[Embedder | None], Templates]


@pytest.fixture
def having(store: DocumentStore, folder: Path) -> Having:
    """The templates of one process, asked with this embedder."""
    files = FolderCache()
    return lambda chosen: Templates(
        store=store, folders=(folder,), embedder_of=lambda _: chosen, files=files
    )


@pytest.fixture
def templates(having: Having, embedder: HashingEmbedder) -> Templates:
    return having(embedder)


def _found(templates: Templates, query: str = QUERY) -> list[tuple[str, bool]]:
    """Ids, and whether they came by similarity."""
    matches = templates.search(TENANT, query, top_k=3)
    return [(match.template.template_id, match.score != 0.5) for match in matches]


def _embedded(embedder: HashingEmbedder) -> int:
    return sum(embedder.embedded.values())


# -- folders


def test_a_folders_templates_are_read_and_embedded_once_for_all_tenants(
    templates: Templates, embedder: HashingEmbedder, store: DocumentStore
) -> None:
    assert [len(templates.index(tenant).templates) for tenant in (TENANT, OTHER, TENANT)] == [
        3,
        3,
        3,
    ]
    assert _found(templates, "two Do two.")[0] == ("two", True)
    assert _embedded(embedder) == 3
    assert store.listing(TENANT, TEMPLATES, limit=9).items == ()


def test_only_a_changed_file_is_embedded_again(
    templates: Templates, embedder: HashingEmbedder, folder: Path
) -> None:
    templates.index(TENANT)
    (folder / "two.md").write_text("---\nname: two\n---\n1. Do it otherwise.")
    (folder / "three.md").unlink()
    (folder / "one.md").touch()
    assert len(templates.index(TENANT).templates) == 2
    assert _embedded(embedder) == 4


def test_bad_files_are_reported_and_logged_once_and_the_rest_is_there(
    templates: Templates, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "bad.md").write_text("no frontmatter")
    for _ in range(2):
        report = templates.index(TENANT)
        assert len(report.templates) == 3
        assert [problem.template_id for problem in report.problems] == ["bad"]
    assert caplog.text.count("bad.md") == 1


@pytest.mark.parametrize(
    "outage",
    [
        ModelUnavailable("away"),
        ModelRefused("bad key"),
    ],
)
def test_without_the_model_templates_are_there_and_get_their_vectors_later(
    templates: Templates, embedder: HashingEmbedder, outage: ModelUnavailable | ModelRefused
) -> None:
    embedder.outage = outage
    assert len(templates.index(TENANT).templates) == 3
    assert not templates.ready(TENANT)
    assert _found(templates, "two Do two.") == CHAIN
    embedder.outage = None
    assert _found(templates, "two Do two.")[0] == ("two", True)
    assert templates.ready(TENANT)


def test_an_empty_folder_is_no_error(templates: Templates, folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    assert len(templates.index(TENANT).templates) == 0
    assert _found(templates) == CHAIN


def test_a_tenants_own_takes_the_place_of_a_files(templates: Templates) -> None:
    mine = replace(BOAT, template_id="two")
    templates.save(TENANT, mine)
    assert templates.get(TENANT, "two") == mine
    assert [template.template_id for template in templates.all(TENANT)] == ["one", "three", "two"]
    assert _found(templates) == [("two", True)]
    assert templates.get(OTHER, "two").name == "two"
    templates.delete(TENANT, "two")
    assert templates.get(TENANT, "two").name == "two"


# -- save


def test_saving_replaces_and_embeds_only_what_is_new(
    templates: Templates, store: DocumentStore, embedder: HashingEmbedder
) -> None:
    for template, calls in (
        (BOAT, 1),
        (BOAT, 1),
        (replace(BOAT, domain="ships"), 1),  # the domain is not embedded
        (replace(BOAT, name="Ship repair"), 2),
    ):
        templates.save(TENANT, template)
        stored = store.get(TENANT, TEMPLATES, "boat").value
        assert stored is not None
        assert stored.template == template
        assert has_current_vector(stored, embedder)
        assert _embedded(embedder) == calls


def test_saving_without_an_embedder_keeps_a_vector_that_is_there(
    having: Having, templates: Templates
) -> None:
    templates.save(TENANT, BOAT)
    having(None).save(TENANT, BOAT)
    assert _found(templates)[0] == ("boat", True)


def test_a_template_over_a_limit_is_not_saved(templates: Templates, store: DocumentStore) -> None:
    with pytest.raises(InvalidArgument):
        templates.save(TENANT, Template("auto", "A", "1."))
    assert store.listing(TENANT, TEMPLATES, limit=9).items == ()


# -- refresh


def test_a_refresh_embeds_once_and_then_finds_nothing_to_do(
    templates: Templates, store: DocumentStore, embedder: HashingEmbedder
) -> None:
    store.put(TENANT, TEMPLATES, StoredTemplate(BOAT))
    assert [templates.refresh(TENANT, "boat") for _ in range(3)] == [
        "embedded",
        "unchanged",
        "unchanged",
    ]
    assert _embedded(embedder) == 1


def test_a_stale_vector_is_known_by_its_key(having: Having, store: DocumentStore) -> None:
    store.put(
        TENANT, TEMPLATES, StoredTemplate(BOAT, unit(*range(1, 65)), "hashing:64:of another text")
    )
    assert having(HashingEmbedder()).refresh(TENANT, "boat") == "embedded"
    assert having(HashingEmbedder(32)).refresh(TENANT, "boat") == "embedded"
    assert having(None).refresh(TENANT, "boat") == "unchanged"
    assert having(HashingEmbedder()).refresh(TENANT, "gone") == "gone"


def test_a_vector_of_a_wrong_length_is_replaced_before_it_is_compared(
    templates: Templates, store: DocumentStore
) -> None:
    templates.save(TENANT, BOAT)
    stored = store.get(TENANT, TEMPLATES, "boat").value
    assert stored is not None
    store.change(TENANT, TEMPLATES, "boat", {"vector": unit(1, 2)})
    assert _found(templates)[0] == ("boat", True)


# -- search


def test_the_similar_one_comes_first_and_is_chosen(templates: Templates) -> None:
    templates.save(TENANT, BOAT)
    assert _found(templates)[0] == ("boat", True)
    assert templates.choose(TENANT, QUERY).template == BOAT
    assert templates.choose(TENANT, "quark lepton").template.template_id == "chain-of-thought"
    aloof = replace(templates, threshold=1.0)
    assert _found(aloof, "quark lepton") == CHAIN


def test_without_an_embedder_or_while_it_is_away_the_chain_of_thought_is_given(
    having: Having, templates: Templates, embedder: HashingEmbedder
) -> None:
    templates.save(TENANT, BOAT)
    assert _found(having(None)) == CHAIN
    embedder.outage = ModelUnavailable("away")
    assert _found(templates) == CHAIN
