"""The workbench on this machine: a folder with one SQLite file, a bundled engine, packs, models, imports."""
