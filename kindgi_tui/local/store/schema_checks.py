"""The schema of what a comparison's answers were found to be by the judging model (DESIGN section 7)."""

CHECKS = """
CREATE TABLE answer_verdicts (
    comparison INTEGER NOT NULL REFERENCES comparisons, case_id TEXT NOT NULL, entry TEXT NOT NULL,
    repetition INTEGER NOT NULL, passed INTEGER, why TEXT, provider TEXT, model TEXT, tries INTEGER NOT NULL,
    cost REAL NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    finished INTEGER NOT NULL, PRIMARY KEY (comparison, case_id, entry, repetition)
) WITHOUT ROWID;
ALTER TABLE comparisons ADD COLUMN judged INTEGER NOT NULL DEFAULT 0;
"""
"""`entry` is a correction's id, or on an agent's own test set the case's; `passed` is NULL where the answer couldn't be
checked; `provider` and `model` are NULL where no model was named; `judged` counts a comparison's verdicts."""
