"""How long each step took, and whose work a thread does."""
