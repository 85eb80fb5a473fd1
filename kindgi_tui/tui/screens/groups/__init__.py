"""The groups screen."""
