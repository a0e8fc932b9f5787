"""Floor 3 — an EnginePlan becomes a PlanGraph: nodes, edges and the generations of reused tensors."""
