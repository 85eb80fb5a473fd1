"""The case screen."""
