"""Words, stems, sentences and detection: everything that depends on a language, and nothing that knows of notes.

text -> words -> terms (stems, stop words, parts of compounds)      languages: which language a text is in
text -> sentences                                                   estimates, offsets: how long it is, and for whom
"""
