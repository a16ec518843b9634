"""Tests of the way from a question to its passages."""
