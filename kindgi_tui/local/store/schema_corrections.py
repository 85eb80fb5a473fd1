"""The schema of corrections: what runs should have done, as people said it (DESIGN section 7)."""

CORRECTIONS = """
CREATE TABLE corrections (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run INTEGER NOT NULL REFERENCES runs, expect TEXT NOT NULL,
    group_id TEXT, expert INTEGER NOT NULL, asserter TEXT NOT NULL, participant TEXT NOT NULL,
    created INTEGER NOT NULL, ended INTEGER, superseded_by TEXT, previous TEXT
);
CREATE UNIQUE INDEX corrections_live ON corrections (run, asserter, participant) WHERE ended IS NULL;
CREATE INDEX corrections_run ON corrections (run, created);
CREATE INDEX corrections_newest ON corrections (created, seq) WHERE ended IS NULL;
"""
"""`expect` is the expectation in the wire's names; `participant` is '' for none; `previous` is the id of the correction
that this one replaced, for taking back."""
