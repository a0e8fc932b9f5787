"""Sections of `trex perf`, one file each."""
