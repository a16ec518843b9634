"""Folders that a question looks in: scope of the caller, ranking of the rest, one search in the
weighted folders.

scope.py      vaults and folders named -> folders offered; named and ranked ones -> weighted folders
ranking.py    folders offered -> the relevant ones, best first, by a model
search.py     question and scope -> passages
"""
