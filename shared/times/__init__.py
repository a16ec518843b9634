"""Phrase -> range: the times that a text names, and how times are written.

1. `lexicon` compiles a language's words for times (`patterns`); `spelling` corrects names of months and weekdays.
2. `mentions` finds what can name a time, `resolvers` the days that a mention names, `counting` those at a distance from a
   time or of an ordinal in it; all by the `calendar`.
3. `readings` reads what stands before and behind a mention; `recognition` decides whether it is a time.
4. `intent` decides what the time is for, and `phrases` returns the range that is asked for.

`series` finds the note of a series that is asked for, its last or its first. `references` says whether a text
refers to a time in a range. `dates` reads dates in texts, writes dates in words, and parses the times that callers write.
"""
