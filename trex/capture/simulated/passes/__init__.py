"""One step of the optimisation, one file: each defines ``PASS``."""
