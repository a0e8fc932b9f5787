"""Formats of reports, one file each."""
