"""Suites that every implementation of a port runs: what `shared.ports` promises, as tests."""
