"""Blocks of the local workbench: templates rendered, schemas checked, and what an agent version pins."""
