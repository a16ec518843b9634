"""The bundled model's graph is optimised once a machine, and gives the same vectors to the last bit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.adapters.local.files import bundled
from shared.adapters.local.graphs import load_graph
from shared.adapters.private import make_private_folder

CACHE = ".cache/aurora-notes"
TEXTS = ["Cloud Run", "", "Was haben wir entschieden?", "word " * 400, "😀 [SEP]"]

PROGRAM = f"""
from shared.adapters.local.embedder import LocalEmbedder
embedder = LocalEmbedder.of(None)
print([vector.tobytes().hex() for vector in embedder.embed_documents({TEXTS!r})])
"""
UNCACHED = """
from shared.adapters.local import embedder, graphs
embedder.load_bundled_graph = lambda files: graphs.load_graph(files.graph)
"""


def vectors(home: Path, before: str = "") -> str:
    """Embed the texts in a separate process; returns the vectors' bytes."""
    completed = subprocess.run(
        [sys.executable, "-c", before + PROGRAM],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stderr == ""
    return completed.stdout


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A person's home folder; pytest would keep the 90 MB of its cache."""
    yield tmp_path
    shutil.rmtree(tmp_path / ".cache", ignore_errors=True)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return vectors(tmp_path_factory.mktemp("none"), UNCACHED)


def kept(home: Path) -> Path:
    """The one folder of the cache."""
    (folder,) = (home / CACHE).iterdir()
    return folder


def test_the_graph_is_kept_for_its_owner_and_gives_the_same_vectors(
    home: Path, expected: str
) -> None:
    assert vectors(home) == expected
    graph = kept(home) / "graph.onnx"
    modified_at = graph.stat().st_mtime_ns
    assert vectors(home) == expected
    assert graph.stat().st_mtime_ns == modified_at
    for folder in (home / CACHE, kept(home)):
        assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "damage",
    [
        "weights cut",
        "weights changed",
        pytest.param("graph gone", marks=pytest.mark.nightly),
        pytest.param("no stamp", marks=pytest.mark.nightly),
    ],
)
def test_a_damaged_cache_is_made_again(home: Path, expected: str, damage: str) -> None:
    vectors(home)
    weights = kept(home) / "weights.bin"
    if damage == "weights cut":
        os.truncate(weights, 1000)
    elif damage == "weights changed":
        with weights.open("r+b") as file:
            file.seek(1_000_000)
            file.write(b"\xff" * 4096)
    elif damage == "graph gone":
        (kept(home) / "graph.onnx").unlink()
    else:
        (kept(home) / "complete").unlink()
    assert vectors(home) == expected
    assert weights.stat().st_size > 80_000_000
    assert vectors(home) == expected


def test_a_cache_of_another_version_goes(home: Path) -> None:
    make_private_folder(home / CACHE)
    outdated = home / CACHE / "graph-0123456789abcdef"
    outdated.mkdir()
    vectors(home)
    assert kept(home) != outdated


def test_a_cache_that_others_may_write_is_not_used(home: Path, expected: str) -> None:
    (home / CACHE).mkdir(parents=True)
    (home / CACHE).chmod(0o777)
    assert vectors(home) == expected
    assert list((home / CACHE).iterdir()) == []


def test_without_a_place_to_keep_it_the_graph_is_loaded_all_the_same(
    home: Path, expected: str
) -> None:
    (home / ".cache").touch()
    assert vectors(home) == expected


def test_onnxruntime_keeps_and_sends_no_reports_on_its_use(home: Path) -> None:
    vectors(home)
    # It would keep an id of the machine, and what it sends a few seconds later.
    assert [path.name for path in (home / ".cache").iterdir()] == ["aurora-notes"]


def test_a_graph_that_is_none_raises(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(bundled().graph.read_bytes()[:1000])
    with pytest.raises(Exception, match=r"model\.onnx"):
        load_graph(tmp_path / "model.onnx")
