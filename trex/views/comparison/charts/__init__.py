"""One view of two engines, one file."""
