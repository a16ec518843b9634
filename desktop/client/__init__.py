"""Client of a product behind an address, and the lists of its API with all their pages."""
