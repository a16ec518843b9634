"""Models on this machine: onnxruntime runs them, their own tokenizers read for them.

files      where a model's files are: bundled (an installed package), in a folder, or fetched from the hub once
graphs     the bundled model's graph, optimised once a machine
embedder   its graph and tokenizer: texts -> unit vectors; question and passages -> scores
"""
