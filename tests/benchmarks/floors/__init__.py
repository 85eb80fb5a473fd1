"""Programs that do the least: what ours is held against, in the same run."""
