"""Formats of reviews, one file each."""
