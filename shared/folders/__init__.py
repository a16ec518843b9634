"""What a caller of /ask names and what a model ranks (ranking) -> weighed places -> the search in them (search)."""
