"""One run, whole."""
