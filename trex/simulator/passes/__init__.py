"""One step of the optimization, one file: each defines ``PASS``."""
