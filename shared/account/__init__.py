"""The account of a tenant: budgets, prices, repeated requests, caches, feedback, export."""
