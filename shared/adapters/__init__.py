"""Implementations of the ports. The only rooms where an SDK is imported, and only inside a call."""
