"""What a request with a key made, kept beside its answer (DESIGN section 11)."""

MADE = """
ALTER TABLE kept_answers ADD COLUMN made TEXT;
"""
"""The id of what the request made, written in the transaction that makes it: who crashes before the answer is kept has
not made it twice after the retry."""
