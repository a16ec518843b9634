"""What belongs to a tenant beside its notes: budgets, prices, repeated requests, caches, feedback, export."""
