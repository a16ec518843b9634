"""What belongs to a tenant beside its notes: budgets, repeated requests, caches, feedback, export."""
