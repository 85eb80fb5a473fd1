"""The terminal face (Textual): app, actions, screens, widgets, styles (DESIGN section 12)."""
