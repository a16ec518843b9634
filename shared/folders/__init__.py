"""In which vaults and folders to look: what a caller names (choice) and what a model ranks (ranking) -> places, with
their weights -> the search in them. How candidates come from places is `retrieval.candidates`.
"""
