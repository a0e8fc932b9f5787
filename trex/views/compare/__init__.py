"""A PlanDiff as sections: sentences, facts and tables for every reader."""
