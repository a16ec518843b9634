"""Question -> the passages that answer it. `pipeline.Retriever` runs the steps; a step knows those before.

    1. analysis.py     keywords, stems, time, language; filters -> the restriction of every leg
    2. candidates.py   the pool, from the legs (legs.py), in the given folders (folder_weights.py); again for a question
                       with unknown words that words of the notes replace (spelling.py)
    3. scores.py       vector, keyword (bm25.py, char_ngrams.py), recency and other candidates (context.py) -> a score
    4. selection.py    live passages best first, reranked, without repeats

options.py holds what may be tuned, calibration.py estimates what an embedder's cosines mean, explanation.py says why a
note is found or not.
"""
