"""How a note's index moves: by compare-and-set, all or nothing."""
