"""Samples: what a series of measured times says, and what it is too short or too unsteady to say."""
