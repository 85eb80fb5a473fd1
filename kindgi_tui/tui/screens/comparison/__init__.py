"""The comparison screen."""
