"""Groupings of layers, one per file."""
