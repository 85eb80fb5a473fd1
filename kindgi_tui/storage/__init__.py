"""Opening an SQLite file rightly, and its migrations: shared by every store (DESIGN section 3)."""
