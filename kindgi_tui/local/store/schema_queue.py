"""The schema of runs that were dismissed from the judging queue (DESIGN section 10)."""

DISMISSALS = """
CREATE TABLE dismissals (
    run INTEGER PRIMARY KEY REFERENCES runs, project INTEGER NOT NULL, subject INTEGER NOT NULL,
    created INTEGER NOT NULL, place INTEGER NOT NULL, answers INTEGER NOT NULL, elements INTEGER NOT NULL,
    both INTEGER NOT NULL, person TEXT NOT NULL, reason TEXT, at INTEGER NOT NULL
);
CREATE INDEX dismissals_oldest ON dismissals (project, created);
CREATE TRIGGER owed_uncounted AFTER DELETE ON owed BEGIN
    UPDATE owed_counts SET runs = runs - 1,
        items = items - CASE WHEN OLD.elements > 0 THEN OLD.elements ELSE OLD.answers END,
        answered = answered - OLD.answers, both = both - OLD.both
        WHERE project = OLD.project AND subject = OLD.subject;
END;
"""
"""A dismissed run's row of `owed` stands here instead, so that every count and every page leaves it out by itself."""
