"""Builder: what the builder tried and how long it took, read from verbose logs."""
