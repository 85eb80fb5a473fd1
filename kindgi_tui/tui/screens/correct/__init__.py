"""Correcting a run: what it should have done."""
