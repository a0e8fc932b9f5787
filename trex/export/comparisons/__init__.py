"""Formats of comparisons, one file each."""
