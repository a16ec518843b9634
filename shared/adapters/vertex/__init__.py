"""Google's ranking and grounding services, over REST."""
