"""Samples: statistics of a series of measured times, and their limits for a short or unsteady series."""
