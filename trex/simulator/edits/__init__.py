"""Edits of a model to try before it is exported again, one per file: each defines ``EDIT``."""
