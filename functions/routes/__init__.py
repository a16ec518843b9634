"""What the routes of the `api` function do, one file a resource."""
