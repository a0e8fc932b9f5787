"""Families of kernel names, one per file."""
