"""Notes as people keep them.

service: a draft -> the note, its revision checked -> store -> the file it came from
linked: a note -> where its links lead and who points at it, each link resolving to the note that it means
related: a note -> the notes that are about the same things, by the vectors of the index
"""
