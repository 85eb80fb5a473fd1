"""The screen of an agent's own test cases."""
