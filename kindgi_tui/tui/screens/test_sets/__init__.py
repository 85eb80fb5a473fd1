"""The test sets screen."""
