"""How a note's index moves: commits weighed by sizes, cut by packing, the note's folder kept by places."""
