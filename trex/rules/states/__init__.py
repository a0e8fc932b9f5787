"""The states that an engine can be in: one file each."""
