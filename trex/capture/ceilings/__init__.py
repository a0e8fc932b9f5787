"""Ceilings: how fast a present GPU copies and multiplies, measured with whichever library is installed."""
