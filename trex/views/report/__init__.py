"""The report of one engine, as data for every format."""
