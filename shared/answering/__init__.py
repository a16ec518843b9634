"""Steps from passages to a checked answer; `pipeline` is the line through them."""
