"""Steps from a question to the passages that answer it; `pipeline` is the line through them."""
