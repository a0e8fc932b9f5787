"""One backend, one file: each defines ``BACKEND``."""
