"""A terminal workbench for judging what AI agents did, and deciding whether a new version is better."""

__version__ = "0.1.0"
"""The version of the program, as `kindgi-tui --version` prints it."""
