"""Candidates -> passages, best first: scores -> ranking -> reranking -> selection.

scale: what a cosine means      letters: words by their letters, where the embedder does not speak the language
"""
