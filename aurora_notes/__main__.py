"""Starts the `aurora` command, as its script and as `python -m aurora_notes`."""

from cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
