"""Runs from files: one module per format, each giving runs in our own words, and what was left out."""
