"""Formats in which the engine graph is written as a file; one file, one format."""
