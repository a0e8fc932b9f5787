"""Kernel names: the grammar that takes them apart, one family of names in one file of ``families``."""
