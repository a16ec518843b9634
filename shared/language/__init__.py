"""Words, stems, sentences and detection: everything that depends on a language, and nothing that
knows of notes.

vocabulary: every word of every language, one file a language; read here and in the rooms above

words, terms   text -> words -> stems, stop words, parts of compounds
sentences      text -> sentences
languages      text -> its language
lengths        text -> tokens and UTF-16 code units
"""
