"""The compare screen."""
