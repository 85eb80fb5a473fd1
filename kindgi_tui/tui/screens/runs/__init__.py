"""The runs screen."""
