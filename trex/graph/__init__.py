"""Floor 4: EnginePlan → PlanGraph, with nodes, edges and the generations of reused tensor names."""
