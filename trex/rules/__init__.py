"""Floor 4 — the advisor: what slows an engine down, what it costs, and what to try; one rule, one file."""
