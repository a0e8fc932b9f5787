"""Floor 4 — two or more plans of one model: what corresponds, what changed, why, and whether it is real."""
