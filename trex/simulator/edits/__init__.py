"""Changes of a model to try before anything is exported again, one change one file: each defines ``EDIT``."""
