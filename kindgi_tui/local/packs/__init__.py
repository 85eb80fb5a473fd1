"""Kindgi packs: what they define, publishing a folder, and the processes that run their tools (DESIGN section 9)."""
