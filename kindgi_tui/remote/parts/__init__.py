"""The parts of the remote workbench, one module per subject."""
