"""The comparisons screen."""
