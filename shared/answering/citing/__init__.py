"""A draft's citation markers -> markers that hold, whole or while the text is still being written.

markers: their grammar                                      claims: what each sentence cites
citations, citation_stream: only labels that were offered   edits, removal, source_lists: what goes from an answer
"""
