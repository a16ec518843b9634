"""Shared by the routes: bodies, identity, errors, streams, wire formats."""
