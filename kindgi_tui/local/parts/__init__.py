"""The parts of the local workbench, named as in the Workbench protocol, one module each."""
