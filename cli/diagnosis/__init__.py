"""Checks of `aurora doctor`: settings, models, a server, a Google Cloud project."""
