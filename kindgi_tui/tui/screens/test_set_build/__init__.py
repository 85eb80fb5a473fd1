"""Building a version of a test set."""
