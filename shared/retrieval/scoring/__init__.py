"""Candidates -> passages, best first: scores -> ranking -> reranking -> selection; scale: what a cosine means."""
