"""Timing: layers, their works and a device → milliseconds with error bars, without a GPU."""
