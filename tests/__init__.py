"""Tests mirror the floors of the package; ``tests.synthetic`` writes the engines they run on."""
