"""The `aurora` command."""
