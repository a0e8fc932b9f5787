"""PlanGraph → Scene: boxes and wires with positions, colors and words, for any renderer."""
