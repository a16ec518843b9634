from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = (
    "shared.adapters.gemini",
    "shared.adapters.openai",
    "shared.adapters.local.embedder",
    "shared.adapters.retry",
    "shared.adapters.firebase.authentication",
)
HEAVY = (
    *(
        "google.genai",
        "google.auth",
        "openai",
        "numpy",
        "pydantic",
        "httpx2",
        "tenacity",
        "requests",
    ),
    *("onnxruntime", "tokenizers"),
)

PROGRAM = """
import importlib, sys
importlib.import_module(sys.argv[1])
print(*sorted(name for name in sys.argv[2:] if name in sys.modules))
"""


@pytest.mark.parametrize("module", MODULES)
def test_importing_an_adapter_loads_no_sdk(module: str) -> None:
    command = [sys.executable, "-c", PROGRAM, module, *HEAVY]
    completed = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert completed.stdout.split() == []


CONSTRUCTING = """
import sys
from shared.adapters.firebase.authentication import FirebaseVerifier
from shared.adapters.gemini import GeminiEmbedder, GeminiWriter
from shared.adapters.openai import OpenAIEmbedder, OpenAIWriter
from shared.adapters import extras
from shared.adapters.local import embedder
GeminiEmbedder(api_key="k"), GeminiWriter(project="p"), embedder.LocalEmbedder.of(None), extras.has_bundled_model()
OpenAIEmbedder(model="m", base_url="http://127.0.0.1/v1"), OpenAIWriter(model="m", base_url="http://127.0.0.1/v1")
FirebaseVerifier("p", "http://127.0.0.1/")
print(*sorted(name for name in sys.argv[1:] if name in sys.modules))
"""


def test_making_the_adapters_loads_no_sdk_either() -> None:
    command = [sys.executable, "-c", CONSTRUCTING, *HEAVY]
    completed = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert completed.stdout.split() == []
