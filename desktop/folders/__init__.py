"""Keeps folders of files and the notes made of them in step.

vault_choice: a folder -> the vault it goes into
manifest: file and note as they were when they were last brought together
comparison: file, note and the manifest's entry -> which of the two has changed
importing: 1. walk the folder, 2. merge each file with its note, 3. let the index follow
gone: files that are gone all at once -> those that a person is asked about
merging: one file and its note: the change of one goes to the other, a conflict waits
conflicts: those that wait, and what a decision does
destinations, server: where the notes are: this machine's store, or a server
followed: folders that are added on the page of the running product, and taken from it
note_files: the files of notes that are changed there
watching: one import, repeated while the folder changes
"""
