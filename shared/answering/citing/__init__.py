"""A draft's citation markers -> markers that hold.

markers: their grammar                                      claims: what each sentence cites
citations: only labels that were offered                    edits, removal, source_lists: what goes from an answer
"""
