"""Does a passage back a sentence: passages -> facts, quantities -> support; model_judge asks a model instead."""
