"""Models on this machine: onnxruntime runs them, their own tokenizers read for them.

files      where a model's files are: in the box (an installed package), in a folder, or fetched from the hub once
encoder    its graph and tokenizer: text -> what the graph says of each of its tokens
embedder, cross_encoder   texts -> unit vectors; question and passages -> scores
"""
