"""PlanGraph → Scene: boxes and wires with positions, colours and words, for any renderer."""
