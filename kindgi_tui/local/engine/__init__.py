"""The bundled async engine: replay rules, agent turns, scheduling, results (DESIGN sections 6 and 9)."""
