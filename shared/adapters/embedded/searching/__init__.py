"""How a question is asked: the three legs; one index version's vectors in memory, as codes."""
