"""What a workspace's SQLite file holds: its schema, and the queries on it, one module per noun."""
