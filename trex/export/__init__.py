"""Floor 6 — pictures become files."""
