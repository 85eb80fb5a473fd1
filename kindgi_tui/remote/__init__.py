"""The workbench over HTTP (DESIGN section 10)."""
