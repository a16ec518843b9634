"""Starts the `aurora` command, as its script and as `python -m aurora_notes`."""

import gc

from cli.main import main

__all__ = ["main"]

gc.set_threshold(50_000)  # what a command loads stays: looking for garbage among it takes 30 ms

if __name__ == "__main__":
    main()
