"""The families of kernel names: one family, one file, which defines ``FAMILY``."""
