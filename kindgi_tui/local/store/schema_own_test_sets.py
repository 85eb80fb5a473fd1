"""The schema of agents' own test sets: cases added by hand, retired ones, frozen versions (DESIGN section 8)."""

OWN_TEST_SETS = """
CREATE TABLE hand_cases (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, project INTEGER NOT NULL REFERENCES projects,
    subject INTEGER NOT NULL REFERENCES subjects, document TEXT NOT NULL, person TEXT NOT NULL,
    created INTEGER NOT NULL, retired INTEGER, retired_by TEXT
);
CREATE INDEX hand_cases_newest ON hand_cases (project, subject, created DESC, seq DESC);
CREATE TABLE retired_runs (
    run INTEGER PRIMARY KEY REFERENCES runs, retired INTEGER NOT NULL, retired_by TEXT NOT NULL
);
CREATE TABLE frozen_versions (
    version INTEGER PRIMARY KEY REFERENCES test_set_versions, tokens TEXT NOT NULL
);
"""
"""`document` is a case as a version stores it. `retired_runs`: runs whose own case is retired. `tokens` of a frozen
version stand, under each case's id, for the rows the case was made from: while they are the same, so is the case."""
