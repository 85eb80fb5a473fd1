"""The command line: one module per noun over the workbench (DESIGN sections 3 and 14)."""
