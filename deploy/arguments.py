"""Reads the arguments of the scripts: a project, a prefix, and texts of a pattern."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Answers what it does not understand with the usage and status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.format_usage()}{message}\n")

    def add_project(self) -> None:
        self.add_argument(
            "project",
            metavar="PROJECT",
            type=matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"),
        )

    def add_prefix(self) -> None:
        self.add_argument(
            "--function-prefix",
            default=os.environ.get("FUNCTION_PREFIX"),
            metavar="PREFIX",
            help="before the names of functions, accounts, schedule and secret",
            type=matching(r"([a-z][a-z0-9-]{0,13})?"),
        )


def matching(pattern: str) -> Callable[[str], str]:
    """Returns a type of argument that takes the texts of a pattern."""

    def value(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(f"expected {pattern}, got {text!r}")
        return text

    return value
