"""Pairs of engines of which it is known what corresponds, what changed and what each change cost."""
