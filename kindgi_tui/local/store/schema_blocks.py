"""The schema of blocks, and of which version of each an agent version runs with (DESIGN section 9)."""

BLOCKS = """
CREATE TABLE blocks (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL, version TEXT NOT NULL, kind TEXT NOT NULL, description TEXT NOT NULL,
    content TEXT NOT NULL, digest TEXT NOT NULL, published INTEGER NOT NULL, published_by TEXT NOT NULL,
    UNIQUE (id, version)
);
CREATE TABLE agent_pins (
    agent TEXT NOT NULL, version TEXT NOT NULL, place INTEGER NOT NULL, role TEXT NOT NULL,
    block INTEGER NOT NULL REFERENCES blocks, PRIMARY KEY (agent, version, place)
) WITHOUT ROWID;
"""
"""`agent_pins` is written once, when an agent version is registered; `place` keeps the order of its references."""
