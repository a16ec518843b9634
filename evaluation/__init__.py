"""How well the product finds and answers: golden questions -> asked through the App -> figures -> a page.

golden, collection    what is asked, what should be found, and which notes hold it
corpus                the notes, in a store of their own; vectors that are kept from one run to the next; ways to cut
asking                every question by the product's own `asking.passages` and `asking.turn`
measures              rankings, citations and answers -> figures, by ir-measures where it has them
comparison, tuning    the same for other strategies, chunkers, embedders and settings
calibration           the constants of an embedder, measured on notes
summary               figures -> JSON
report, plots         figures -> one HTML page
"""
