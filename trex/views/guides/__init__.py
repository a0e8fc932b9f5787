"""How to get an engine's files out of a framework: one guide, one file; its docstring is the page."""
