"""The audit screen."""
