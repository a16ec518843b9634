"""The library behind every front door. Two straight lines run through it.

Saving a note:   indexing.pipeline   note -> chunks -> changes -> vectors -> store
                 sweep.reconcile     notes whose index does not follow them -> the same line
Asking:          asking.turn         begin -> standalone -> retrieve -> write -> check -> record, for every front door
                 retrieval.pipeline  question -> analysis -> candidates -> scores -> selection
                 folders.retrieve    the same from the vaults and folders in which to look, which it ranks first
                 answering.pipeline  selection -> prompt -> draft -> citations -> support -> answer, as events
Along the way:   notes.service       a draft -> the note, at the revision that is meant
                 notes.linked        a note -> where its links lead, and who points at it
                 templates.service   question -> the template whose steps the answer follows
                 sessions.service    follow-up -> a question that stands alone; answer -> stored turn
                 account             a request answered once, budgets, caches, export, erasure
                 judging             whether a passage backs a sentence
                 api                 answers and their events -> the JSON that clients read

Both read text with `language` (words), `times` (when) and `markdown` (what a reader sees); `tracing` tells how long
each step took. `model` holds the types by subject, `ports` what we ask of the outside world, `adapters` who answers,
`bootstrap` chooses the adapters, `app` holds them and makes the services when they are first used.
"""
