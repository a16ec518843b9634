"""Files that come with the product and are read at run time.

They lie where the packages lie: at the root of a checkout, inside `aurora_notes` in the wheel, and of them only the
templates in what is deployed.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = ROOT / "main.py"
"""Source file of the deployed functions, as functions-framework wants it."""
PAGE = ROOT / "web"
TEMPLATES = ROOT / "templates"
SAMPLE_NOTES = ROOT / "examples" / "notes"
RULES = ROOT / "firestore.rules"
INDEXES = ROOT / "firestore.indexes.json"
CLOUD_RESOURCES = ROOT / "deploy" / "resources.json"
"""Table of what `deploy/up.sh` makes in a project."""
