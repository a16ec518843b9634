"""Passages -> a checked answer, piece by piece; `pipeline` is the line through the steps.

prompt          question, sources, history within a budget -> what the model is asked
drafts          the model's stream -> text without its verdict and its list of sources
pieces          text -> whole pieces: sentences, items, rows, blocks of code
markers         the grammar of citation markers, and how one is removed
checking        pieces -> checked pieces: labels, sanitized text, claims judged; the answer's citations and grounding
extractive      without a model: the notes' own words, as pieces of the same kind
choosing        windows -> those that are quoted, in their order
joining         windows of one table or list -> one window, though they lie in several passages
windows         passages -> what of them can be quoted, and how near it lies to the question
parts           pieces that are quoted -> the spans around them that are quoted with them
items           which items of a longer list, or rows of a longer table, match a question
beside          passages -> those beside them in which their lists and tables go on, which the search did not find
likeness        passages -> their pieces, compared with the question by words and meaning
asked_time      the items and rows that hold a date of the time that the question names
asked           what the question asks of passages: words, properties, lines that define a thing, a number
replacement     which notes are replaced, according to their properties
asked_statement which of several statements a question asks for: its tense, names and kinds
tense           whether a question asks for what holds, what was, or what no longer holds
written         when a passage was written: the day of its section, or the time of its note
owners          the words of a question that own something, and what belongs to them
cognates        words of the question that a passage holds in the spelling of another language
names           the persons and things that a question names, and the passages that hold their names
named_notes     the notes that contain the names in a question
phrases         what is asked about a name, in the words of the question
missing_subject the name about which the passages do not say what is asked
missing_words   the words of the question that no quoted passage holds
current         the newest first, or the oldest, of windows that state one thing differently or replace each other
updates         the later note that probably states anew what the note quoted first says, or the earlier one that it does
period          a question about a time and nothing else: one line for each note of it
subject         whether anything that was found is on topic
refusals        the fixed texts: refusals, notices, small talk
"""
