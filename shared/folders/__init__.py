"""What a caller of /ask names and what a model ranks -> weighed places -> the search in them (search)."""
