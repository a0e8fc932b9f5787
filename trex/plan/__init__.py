"""Floor 2 — an Engine becomes an EnginePlan and its DataFrame."""
