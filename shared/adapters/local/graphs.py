"""The bundled model's graph, optimised once a machine instead of at every start.

1. The first process lets onnxruntime optimise the graph, and keeps the result in the user's cache (90 MB).
2. Later processes load it as it is, with its weights mapped from their file: a fifth of the processor time, a third of
   the memory, and the same vectors to the last bit.
3. Where the cache is damaged, of another version or processor, or cannot be written, the graph is optimised again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from shared.adapters.local.files import ModelFiles, check_bundled
from shared.adapters.private import OTHERS, make_private_folder

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions

ERRORS_ALONE = 3
"""Level of onnxruntime's log; it warns that an optimised graph is for one kind of processor, which its name says."""
SMALLEST_MAPPED = "1024"
"""Bytes of the smallest weights that are mapped."""

_PREFIX = "graph-"
_GRAPH = "graph.onnx"
_WEIGHTS = "weights.bin"
_STAMP = "complete"
"""File that is written last: the state of all files when the cache was made."""
_PROCESSOR = ("model name", "flags", "CPU implementer", "CPU part", "Features")
"""Lines of /proc/cpuinfo that tell processors apart."""


def _runtime() -> ModuleType:
    """Loads onnxruntime, without the reports on its use that it would send to its maker and keep in the home folder."""
    os.putenv("ORT_DISABLE_TELEMETRY", "1")  # it reads this when it is loaded
    import onnxruntime  # noqa: PLC0415 - 60 ms with numpy

    runtime: ModuleType = onnxruntime
    return runtime


def _options() -> SessionOptions:
    """Returns the options of every graph."""
    options: SessionOptions = _runtime().SessionOptions()
    # Texts are read in parallel instead, and no thread spins while it waits.
    options.intra_op_num_threads = 1
    # The arena would keep the memory of the longest text for good.
    options.enable_cpu_mem_arena = False
    return options


def _session(graph: Path, options: SessionOptions) -> InferenceSession:
    session: InferenceSession = _runtime().InferenceSession(
        str(graph),
        options,
        providers=["CPUExecutionProvider"],
    )
    return session


def load_graph(graph: Path) -> InferenceSession:
    """Loads a graph and optimises it. Raises onnxruntime's errors, which have no class in common."""
    return _session(graph, _options())


def load_bundled_graph(files: ModelFiles) -> InferenceSession:
    """Loads the bundled model's graph, from the cache where it is there, else into it.

    Raises PortContractError for a graph of another content, and as `load_graph`.
    """
    folder = _cache_folder()
    if folder is not None:
        session = _load_kept(folder, files)
        if session is not None:
            return session
    check_bundled(files)
    if folder is not None:
        session = _load_and_keep(folder, files)
        if session is not None:
            return session
    return load_graph(files.graph)


def _cache_folder() -> Path | None:
    """Returns the folder of this model, version and processor in the user's cache; None if no cache can be used.

    A cache that others can read, or that belongs to another user, is not used, as its graph would be run without a
    check.
    """
    try:
        cache = Path.home() / ".cache/aurora-notes"
        make_private_folder(cache)
        state = cache.stat()
    except (OSError, RuntimeError):  # there may be no home folder
        return None
    is_open_to_others = state.st_mode & OTHERS
    if is_open_to_others or state.st_uid != os.geteuid():
        return None
    machine = os.uname().machine
    environment = f"{_runtime().__version__} {machine} {_processor()}"
    digest = hashlib.sha256(environment.encode()).hexdigest()
    return cache / f"{_PREFIX}{digest[:16]}"


def _processor() -> str:
    """Returns the processor's name and abilities, in so far as the system reports them."""
    described = []
    with suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        for line in lines:
            if not line.strip():
                break  # the next processor is like this one
            if line.startswith(_PROCESSOR):
                described.append(line)
    return "".join(described)


def _load_kept(folder: Path, files: ModelFiles) -> InferenceSession | None:
    """Loads the optimised graph in the folder; None if it is missing or is not what was written there."""
    try:
        stamp = (folder / _STAMP).read_text(encoding="utf-8")
        if stamp != _stamp(folder, files):
            return None
    except (OSError, ValueError):
        return None
    options = _options()
    options.graph_optimization_level = _runtime().GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return _session(folder / _GRAPH, options)
    except Exception:  # noqa: BLE001 - onnxruntime's errors have no class in common
        return None


def _load_and_keep(folder: Path, files: ModelFiles) -> InferenceSession | None:
    """Loads the graph, keeps it optimised in the folder, and removes what other versions kept.

    Returns None if that fails.
    """
    try:
        draft = Path(tempfile.mkdtemp(prefix="new-", dir=folder.parent))
    except OSError:
        return None
    options = _options()
    options.log_severity_level = ERRORS_ALONE
    options.optimized_model_filepath = str(draft / _GRAPH)
    weights = "session.optimized_model_external_initializers"
    options.add_session_config_entry(f"{weights}_file_name", _WEIGHTS)
    options.add_session_config_entry(f"{weights}_min_size_in_bytes", SMALLEST_MAPPED)
    try:
        session = _session(files.graph, options)
        for name in (_GRAPH, _WEIGHTS):
            _flush(draft / name)
        (draft / _STAMP).write_text(_stamp(draft, files), encoding="utf-8")
        for outdated in folder.parent.glob(f"{_PREFIX}*"):
            shutil.rmtree(outdated, ignore_errors=True)
        draft.rename(folder)  # fails where another process was faster
    except Exception:  # noqa: BLE001 - a disk that is full is an error of onnxruntime's, too
        shutil.rmtree(draft, ignore_errors=True)
        return None
    return session


def _stamp(folder: Path, files: ModelFiles) -> str:
    """Returns the sizes and times of the graph, of what was made of it, and of its weights. Raises OSError."""
    states = []
    for file in (files.graph, folder / _GRAPH, folder / _WEIGHTS):
        state = file.stat()
        states.append(f"{state.st_size} {state.st_mtime_ns}")
    return "\n".join(states)


def _flush(file: Path) -> None:
    """Writes a file to the disk: after a power failure its time and size would not tell that it is empty."""
    with file.open("rb") as content:
        os.fsync(content.fileno())
