"""One section of a comparison of several engines, one file."""
