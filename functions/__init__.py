"""The deployed functions: thin, no decisions, no SDK calls."""
