"""Google's ranking service, over REST."""
