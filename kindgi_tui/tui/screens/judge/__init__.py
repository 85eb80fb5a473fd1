"""The judge screen."""
