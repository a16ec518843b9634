"""What the routes share: body, identity, errors, streams, wire formats."""
