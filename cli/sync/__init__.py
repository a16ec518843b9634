"""What keeps folders of files and the notes made of them in step.

folder, dating: files -> notes, and where their dates are from
vault_choice: a folder -> the vault it goes into
manifest, manifest_file: file and note as they were when they were last brought together
comparison: file, note and the manifest's entry -> which of the two has changed
importing: 1. walk the folder, 2. merge each file with its note, 3. let the index follow
merging, moved_files: one file and its note: the change of one goes to the other, a conflict waits
file_content, file_writes: a note -> its file, replaced, created, moved or removed
destinations: where the notes are: this machine's store, or a server
note_files: the files of notes that are changed through the running product
watching: one import, repeated while the folder changes
"""
