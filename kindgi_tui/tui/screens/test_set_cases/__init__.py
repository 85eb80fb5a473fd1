"""The cases of a test set."""
