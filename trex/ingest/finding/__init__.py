"""Paths → engines: opening, unpacking and recognising files, and pairing those of one engine."""
