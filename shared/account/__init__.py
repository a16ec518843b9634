"""What a tenant may spend, what is remembered of its requests, and how all of it is given out and erased."""
