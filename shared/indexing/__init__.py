"""Steps from a note to its index; `pipeline` is the line through them."""
