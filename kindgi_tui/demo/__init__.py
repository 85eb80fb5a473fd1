"""A small real pack with recorded runs, to start from; what a model and people said stands in `data/`."""
