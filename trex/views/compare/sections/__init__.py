"""One section of a comparison, one file."""
