"""Paths → engines: opening, unpacking and recognizing files, and pairing those of one engine."""
