"""Timing: layers, their works and a device → milliseconds, with an interval that says how sure they are; no GPU."""
