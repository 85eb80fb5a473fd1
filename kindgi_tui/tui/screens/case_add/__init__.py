"""The form that adds a test case by hand."""
