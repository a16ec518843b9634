"""How a tenant's file is reached: connections and transactions, the tables, SQLite's errors as ours."""
