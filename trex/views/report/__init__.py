"""The report: what is told of an engine, as data that every reader shows in its own way."""
