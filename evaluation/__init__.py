"""How well the product finds and answers: golden questions -> asked through the App -> figures -> a page.

golden, collection    what is asked, and what should be found
corpus                the notes, in a store of their own
asking                every question through `App.search` and `App.chat`
measures              rankings and citations -> figures, by ir-measures
comparison, tuning    the same for other strategies, chunkers, embedders and settings
report, plots         figures -> one HTML page
"""
