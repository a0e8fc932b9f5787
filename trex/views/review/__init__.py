"""A lint result as sentences, groups and tables."""
