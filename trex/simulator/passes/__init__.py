"""Passes of the simulated builder, one per file: each defines ``PASS``."""
