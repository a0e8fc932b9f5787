"""Paths → engines: recognizing files, and matching those of one engine."""
