"""Floor 3 — what the numbers mean: devices, work, roofline, time and memory of an EnginePlan."""
