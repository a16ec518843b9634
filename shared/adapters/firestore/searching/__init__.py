"""How a question is asked: a restriction as filters -> the legs; corpus keeps the figures of a tenant as a whole."""
