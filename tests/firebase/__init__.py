"""Firebase's own JavaScript SDK against the running function."""
