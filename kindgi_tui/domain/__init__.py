"""What the words mean: frozen models and pure rules, without any I/O (DESIGN section 3)."""
