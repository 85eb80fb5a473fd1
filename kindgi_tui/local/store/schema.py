"""The workspace's schema, as numbered migrations that only go forward (DESIGN section 9).

Times are milliseconds since 1970 (UTC). JSON is text with every character over 127 escaped, so that whatever an
agent wrote, lone surrogates included, comes back as it was. Counts are kept by triggers, never counted.
"""

from kindgi_tui.local.store.schema_blocks import BLOCKS
from kindgi_tui.local.store.schema_checks import CHECKS
from kindgi_tui.local.store.schema_corrections import CORRECTIONS
from kindgi_tui.local.store.schema_own_test_sets import OWN_TEST_SETS
from kindgi_tui.local.store.schema_queue import DISMISSALS
from kindgi_tui.local.store.schema_serving import MADE

APPLICATION_ID = 0x4B544C57
"""What marks an SQLite file as a workspace (`KTLW`)."""

FIRST = """
CREATE TABLE projects (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, slug TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE, is_default INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL
);
CREATE UNIQUE INDEX projects_default ON projects (is_default) WHERE is_default = 1;

CREATE TABLE people (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, reviewer_role TEXT, "right" TEXT NOT NULL,
    created INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE subjects (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (kind, id));
CREATE TABLE subject_versions (
    seq INTEGER PRIMARY KEY, subject INTEGER NOT NULL REFERENCES subjects, version TEXT NOT NULL,
    UNIQUE (subject, version)
);

CREATE TABLE runs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, project INTEGER NOT NULL REFERENCES projects,
    subject INTEGER NOT NULL REFERENCES subjects, subject_version INTEGER NOT NULL REFERENCES subject_versions,
    status TEXT NOT NULL, created INTEGER NOT NULL, completed INTEGER, segments TEXT, path INTEGER,
    conversation TEXT, replay_of TEXT, comparison TEXT, is_replay INTEGER NOT NULL DEFAULT 0, failure TEXT,
    source TEXT NOT NULL, preview TEXT NOT NULL, judgments INTEGER NOT NULL DEFAULT 0,
    judged INTEGER NOT NULL DEFAULT 0, first_judged INTEGER
);
CREATE INDEX runs_newest ON runs (project, is_replay, created DESC, seq DESC);
CREATE INDEX runs_subject ON runs (project, is_replay, subject, created DESC, seq DESC);
CREATE INDEX runs_version ON runs (project, is_replay, subject_version, created DESC, seq DESC);
CREATE INDEX runs_status ON runs (project, is_replay, status, created DESC, seq DESC);
CREATE INDEX runs_judged ON runs (project, is_replay, judged, created DESC, seq DESC);
CREATE INDEX runs_comparison ON runs (comparison, created DESC, seq DESC) WHERE comparison IS NOT NULL;
CREATE INDEX runs_source ON runs (project, is_replay, source, created DESC, seq DESC);
CREATE INDEX runs_first_judged ON runs (project, subject, first_judged DESC, seq DESC)
    WHERE judged = 1 AND is_replay = 0;

CREATE TABLE run_documents (
    run INTEGER PRIMARY KEY REFERENCES runs, input TEXT NOT NULL, output TEXT, context TEXT NOT NULL, raw TEXT
);

CREATE TABLE paths (seq INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE path_ancestors (
    path INTEGER NOT NULL, ancestor INTEGER NOT NULL, PRIMARY KEY (path, ancestor)
) WITHOUT ROWID;
CREATE TABLE run_paths (
    path INTEGER NOT NULL, project INTEGER NOT NULL, is_replay INTEGER NOT NULL, created INTEGER NOT NULL,
    run INTEGER NOT NULL, PRIMARY KEY (path, project, is_replay, created, run)
) WITHOUT ROWID;

CREATE TABLE run_counts (
    project INTEGER NOT NULL, is_replay INTEGER NOT NULL, subject_version INTEGER NOT NULL, subject INTEGER NOT NULL,
    status TEXT NOT NULL, judged INTEGER NOT NULL, source TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (project, is_replay, subject_version, status, judged, source)
) WITHOUT ROWID;
CREATE TABLE path_counts (
    path INTEGER NOT NULL, project INTEGER NOT NULL, is_replay INTEGER NOT NULL, subject_version INTEGER NOT NULL,
    subject INTEGER NOT NULL, status TEXT NOT NULL, judged INTEGER NOT NULL, source TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (path, project, is_replay, subject_version, status, judged, source)
) WITHOUT ROWID;
CREATE TRIGGER runs_counted AFTER INSERT ON runs BEGIN
    INSERT INTO run_counts VALUES (NEW.project, NEW.is_replay, NEW.subject_version, NEW.subject, NEW.status,
        NEW.judged, NEW.source, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER runs_counted_by_path AFTER INSERT ON runs WHEN NEW.path IS NOT NULL BEGIN
    INSERT INTO path_counts SELECT a.ancestor, NEW.project, NEW.is_replay, NEW.subject_version, NEW.subject,
        NEW.status, NEW.judged, NEW.source, 1 FROM path_ancestors a WHERE a.path = NEW.path
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER runs_recounted AFTER UPDATE OF status, judged ON runs
WHEN OLD.status <> NEW.status OR OLD.judged <> NEW.judged BEGIN
    UPDATE run_counts SET count = count - 1 WHERE project = OLD.project AND is_replay = OLD.is_replay
        AND subject_version = OLD.subject_version AND status = OLD.status AND judged = OLD.judged
        AND source = OLD.source;
    INSERT INTO run_counts VALUES (NEW.project, NEW.is_replay, NEW.subject_version, NEW.subject, NEW.status,
        NEW.judged, NEW.source, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER runs_recounted_by_path AFTER UPDATE OF status, judged ON runs
WHEN NEW.path IS NOT NULL AND (OLD.status <> NEW.status OR OLD.judged <> NEW.judged) BEGIN
    UPDATE path_counts SET count = count - 1
        WHERE path IN (SELECT ancestor FROM path_ancestors WHERE path = OLD.path) AND project = OLD.project
        AND is_replay = OLD.is_replay AND subject_version = OLD.subject_version AND status = OLD.status
        AND judged = OLD.judged AND source = OLD.source;
    INSERT INTO path_counts SELECT a.ancestor, NEW.project, NEW.is_replay, NEW.subject_version, NEW.subject,
        NEW.status, NEW.judged, NEW.source, 1 FROM path_ancestors a WHERE a.path = NEW.path
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE VIRTUAL TABLE run_words USING fts5(text, content='', detail='none', columnsize=0, prefix='3 4 5 6 7 8',
    tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE run_trigrams USING fts5(text, content='', detail='none', columnsize=0, tokenize='trigram');
CREATE TABLE search_state (only INTEGER PRIMARY KEY CHECK (only = 1), indexed INTEGER NOT NULL);
INSERT INTO search_state VALUES (1, 0);

CREATE TABLE groups (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, project TEXT, agent TEXT, name TEXT NOT NULL,
    weight REAL NOT NULL, description TEXT, restriction TEXT, created INTEGER NOT NULL, retired INTEGER
);
CREATE UNIQUE INDEX groups_names ON groups (ifnull(project, ''), ifnull(agent, ''), name) WHERE retired IS NULL;

CREATE TABLE judgments (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run INTEGER NOT NULL REFERENCES runs, item_key TEXT NOT NULL,
    pointer TEXT, rank INTEGER, verdict TEXT NOT NULL, reason TEXT, group_id TEXT, restricted INTEGER NOT NULL,
    asserter TEXT NOT NULL, participant TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL,
    previous TEXT, ended INTEGER, superseded_by TEXT
);
CREATE UNIQUE INDEX judgments_live ON judgments (run, item_key, asserter, participant) WHERE ended IS NULL;
CREATE INDEX judgments_newest ON judgments (created DESC, seq DESC) WHERE ended IS NULL;
CREATE INDEX judgments_asserter ON judgments (asserter, created DESC, seq DESC) WHERE ended IS NULL;
CREATE INDEX judgments_group ON judgments (group_id, created DESC, seq DESC)
    WHERE ended IS NULL AND group_id IS NOT NULL;
CREATE TRIGGER judgments_made AFTER INSERT ON judgments WHEN NEW.ended IS NULL BEGIN
    UPDATE runs SET judgments = judgments + 1, judged = 1,
        first_judged = min(ifnull(first_judged, NEW.created), NEW.created)
    WHERE seq = NEW.run;
END;
CREATE TRIGGER judgments_ended AFTER UPDATE OF ended ON judgments
WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL BEGIN
    UPDATE runs SET judgments = judgments - 1, judged = CASE WHEN judgments > 1 THEN 1 ELSE 0 END
    WHERE seq = NEW.run;
END;

CREATE TABLE test_sets (id TEXT PRIMARY KEY, project TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE test_set_versions (
    seq INTEGER PRIMARY KEY, test_set TEXT NOT NULL REFERENCES test_sets, version TEXT NOT NULL,
    description TEXT, case_count INTEGER NOT NULL, available INTEGER NOT NULL, request TEXT NOT NULL,
    created INTEGER NOT NULL, created_by TEXT NOT NULL, UNIQUE (test_set, version)
);
CREATE TABLE cases (
    version INTEGER NOT NULL REFERENCES test_set_versions, position INTEGER NOT NULL, case_id TEXT NOT NULL,
    document TEXT NOT NULL, PRIMARY KEY (version, position)
);
CREATE UNIQUE INDEX cases_ids ON cases (version, case_id);

CREATE TABLE comparisons (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, project TEXT NOT NULL, test_set TEXT NOT NULL,
    version INTEGER NOT NULL REFERENCES test_set_versions, request TEXT NOT NULL, status TEXT NOT NULL,
    started_by TEXT NOT NULL, created INTEGER NOT NULL, completed INTEGER, error TEXT, cancel_reason TEXT,
    rescore_of TEXT, cancel_requested INTEGER NOT NULL DEFAULT 0, owner TEXT, owner_pid INTEGER, heartbeat INTEGER,
    cases INTEGER NOT NULL, repetitions INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0,
    finished_cases INTEGER NOT NULL DEFAULT 0, errors INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0,
    cached INTEGER NOT NULL DEFAULT 0, result TEXT
);
CREATE INDEX comparisons_test_set ON comparisons (test_set, seq DESC);
CREATE INDEX comparisons_project ON comparisons (project, seq DESC);
CREATE INDEX comparisons_running ON comparisons (status) WHERE status IN ('pending', 'running');
CREATE TABLE repetitions (
    comparison INTEGER NOT NULL REFERENCES comparisons, case_id TEXT NOT NULL, repetition INTEGER NOT NULL,
    run TEXT, outcome TEXT NOT NULL, is_error INTEGER NOT NULL, cost REAL NOT NULL, cached INTEGER NOT NULL,
    finished INTEGER NOT NULL, PRIMARY KEY (comparison, case_id, repetition)
) WITHOUT ROWID;

CREATE TABLE pack_snapshots (
    seq INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, pack_id TEXT NOT NULL, pack_version TEXT NOT NULL,
    python TEXT, published INTEGER NOT NULL, published_by TEXT NOT NULL, env_required TEXT NOT NULL,
    env_optional TEXT NOT NULL
);
CREATE TABLE catalog (
    kind TEXT NOT NULL, id TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, pack TEXT NOT NULL,
    definition TEXT NOT NULL, published INTEGER NOT NULL, PRIMARY KEY (kind, id, version)
) WITHOUT ROWID;
CREATE TABLE pack_env (
    pack_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (pack_id, name)
) WITHOUT ROWID;

CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL,
    details TEXT
);
"""

SECOND = """
CREATE TABLE owed (
    run INTEGER PRIMARY KEY REFERENCES runs, project INTEGER NOT NULL, subject INTEGER NOT NULL,
    created INTEGER NOT NULL, place INTEGER NOT NULL, answers INTEGER NOT NULL, elements INTEGER NOT NULL,
    both INTEGER NOT NULL
);
CREATE INDEX owed_oldest ON owed (project, created);
CREATE INDEX owed_subject ON owed (project, subject, created);
CREATE INDEX owed_places ON owed (project, place);
CREATE INDEX owed_subject_places ON owed (project, subject, place);
CREATE TABLE owed_state (
    only INTEGER PRIMARY KEY CHECK (only = 1), counted INTEGER NOT NULL, before INTEGER NOT NULL
);
INSERT INTO owed_state SELECT 1, 0, ifnull(max(seq), 0) FROM runs;
CREATE TABLE owed_counts (
    project INTEGER NOT NULL, subject INTEGER NOT NULL, runs INTEGER NOT NULL, items INTEGER NOT NULL,
    answered INTEGER NOT NULL, both INTEGER NOT NULL, PRIMARY KEY (project, subject)
) WITHOUT ROWID;

CREATE TABLE judged_by (
    person TEXT NOT NULL, run INTEGER NOT NULL, answers INTEGER NOT NULL, elements INTEGER NOT NULL,
    PRIMARY KEY (person, run)
) WITHOUT ROWID;
INSERT INTO judged_by SELECT asserter, run, sum(rank IS NULL), sum(rank IS NOT NULL) FROM judgments
    WHERE ended IS NULL AND participant = '' GROUP BY asserter, run;
CREATE TABLE skips (
    person TEXT NOT NULL, run INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (person, run)
) WITHOUT ROWID;
CREATE TABLE queue_marks (
    person TEXT NOT NULL, project INTEGER NOT NULL, subject INTEGER NOT NULL, created INTEGER NOT NULL,
    run INTEGER NOT NULL, PRIMARY KEY (person, project, subject)
) WITHOUT ROWID;
CREATE TRIGGER owed_counted AFTER INSERT ON owed BEGIN
    INSERT INTO owed_counts VALUES (NEW.project, NEW.subject, 1,
        CASE WHEN NEW.elements > 0 THEN NEW.elements ELSE NEW.answers END, NEW.answers, NEW.both)
    ON CONFLICT DO UPDATE SET runs = runs + 1, items = items + excluded.items,
        answered = answered + excluded.answered, both = both + excluded.both;
    UPDATE queue_marks SET created = NEW.created, run = NEW.run - 1
        WHERE project = NEW.project AND subject IN (0, NEW.subject) AND (created, run) >= (NEW.created, NEW.run);
END;
CREATE TRIGGER skips_lifted AFTER DELETE ON skips BEGIN
    UPDATE queue_marks SET (created, run) = (SELECT o.created, o.run - 1 FROM owed o WHERE o.run = OLD.run)
        WHERE person = OLD.person AND EXISTS (SELECT 1 FROM owed o WHERE o.run = OLD.run
            AND o.project = queue_marks.project AND queue_marks.subject IN (0, o.subject)
            AND (queue_marks.created, queue_marks.run) >= (o.created, o.run));
END;
CREATE TRIGGER judgments_counted AFTER INSERT ON judgments WHEN NEW.ended IS NULL AND NEW.participant = '' BEGIN
    INSERT INTO judged_by VALUES (NEW.asserter, NEW.run, NEW.rank IS NULL, NEW.rank IS NOT NULL)
    ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, elements = elements + excluded.elements;
END;
CREATE TRIGGER judgments_uncounted AFTER UPDATE OF ended ON judgments
WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL AND NEW.participant = '' BEGIN
    UPDATE judged_by SET answers = answers - (NEW.rank IS NULL), elements = elements - (NEW.rank IS NOT NULL)
        WHERE person = NEW.asserter AND run = NEW.run;
    UPDATE queue_marks SET (created, run) = (SELECT o.created, o.run - 1 FROM owed o WHERE o.run = NEW.run)
        WHERE person = NEW.asserter AND EXISTS (SELECT 1 FROM owed o WHERE o.run = NEW.run
            AND o.project = queue_marks.project AND queue_marks.subject IN (0, o.subject)
            AND (queue_marks.created, queue_marks.run) >= (o.created, o.run));
END;

CREATE TABLE disputed (
    run INTEGER NOT NULL, item_key TEXT NOT NULL, PRIMARY KEY (run, item_key)
) WITHOUT ROWID;
INSERT INTO disputed SELECT run, item_key FROM judgments WHERE ended IS NULL
    GROUP BY run, item_key HAVING min(verdict) <> max(verdict);
CREATE TRIGGER judgments_disputed AFTER INSERT ON judgments WHEN NEW.ended IS NULL AND EXISTS (
    SELECT 1 FROM judgments j WHERE j.run = NEW.run AND j.item_key = NEW.item_key AND j.ended IS NULL
        AND j.verdict <> NEW.verdict) BEGIN
    INSERT OR IGNORE INTO disputed VALUES (NEW.run, NEW.item_key);
END;
CREATE TRIGGER judgments_settled AFTER UPDATE OF ended ON judgments
WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL BEGIN
    DELETE FROM disputed WHERE run = NEW.run AND item_key = NEW.item_key AND (
        SELECT count(DISTINCT verdict) FROM judgments WHERE run = NEW.run AND item_key = NEW.item_key
            AND ended IS NULL) < 2;
END;

CREATE TABLE judging_settings (
    project INTEGER NOT NULL REFERENCES projects, subject INTEGER NOT NULL REFERENCES subjects, owed TEXT NOT NULL,
    PRIMARY KEY (project, subject)
) WITHOUT ROWID;
CREATE TABLE guidelines (
    seq INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES projects,
    subject INTEGER NOT NULL REFERENCES subjects, version INTEGER NOT NULL, text TEXT NOT NULL,
    created INTEGER NOT NULL, created_by TEXT NOT NULL, UNIQUE (project, subject, version)
);
"""
"""What judging stands on. `owed`: how many items each completed run that is no replay has (`place`: a hash of its id,
for a random order), kept when it is recorded; for the `before` runs of older files `queue.count_owed` fills it in.
`judged_by`: how many of a run's items a person judged. `queue_marks`: up to where a person owes nothing any more.
`disputed`: items of which live verdicts differ."""

THIRD = """
CREATE TABLE tokens (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, digest TEXT NOT NULL, person TEXT NOT NULL,
    "right" TEXT NOT NULL, created INTEGER NOT NULL, created_by TEXT NOT NULL, revoked INTEGER
);
CREATE UNIQUE INDEX tokens_names ON tokens (name) WHERE revoked IS NULL;

CREATE TABLE kept_answers (
    caller TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, body_digest TEXT NOT NULL,
    holder TEXT NOT NULL, held_until INTEGER NOT NULL, status INTEGER, content_type TEXT, body BLOB,
    created INTEGER NOT NULL, PRIMARY KEY (caller, method, path, key)
);
CREATE INDEX kept_answers_age ON kept_answers (created);

CREATE INDEX runs_conversation ON runs (conversation, created, seq) WHERE conversation IS NOT NULL;
"""
"""What serving others stands on: tokens (the digest of a secret, never the secret), and answers to requests that carry
a key. A kept answer without a status is a request that still runs, held until `held_until`."""

MIGRATIONS: tuple[str, ...] = (
    FIRST, SECOND, THIRD, DISMISSALS, CORRECTIONS, MADE, CHECKS, BLOCKS, OWN_TEST_SETS,
)  # fmt: skip
"""Every step from an empty file to the newest version."""
