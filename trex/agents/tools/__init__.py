"""The tools of ``trex mcp``, one file each: its docstring is what an agent reads about it."""
