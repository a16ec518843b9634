"""Notes as people keep them: a draft -> the note, its revision checked -> store -> the file it came from."""
