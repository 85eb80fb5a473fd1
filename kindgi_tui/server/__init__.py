"""The HTTP face: the Kindgi API over any workbench (DESIGN section 11)."""
