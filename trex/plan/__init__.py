"""Floor 2: Engine → EnginePlan and its DataFrame."""
