"""The two dialects of the Kindgi API as pure models: what is printed, served, sent and read."""
