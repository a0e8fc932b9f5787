"""Floor 3: devices, work, roofline, time and memory of an EnginePlan."""
