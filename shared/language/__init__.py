"""Words, stems, sentences and detection: everything that depends on a language, and nothing that knows of notes.

vocabulary: every word of every language, a file each; what else there is reads it, here and in the rooms above

text -> words -> terms (stems, stop words, parts of compounds)      languages: which language a text is in
text -> sentences                                                   lengths: in tokens and in UTF-16
"""
