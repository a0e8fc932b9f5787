"""Commands — one file, one sub-command of ``trex``; its docstring is its help."""
