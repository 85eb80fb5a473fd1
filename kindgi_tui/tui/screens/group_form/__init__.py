"""Making and changing a group."""
