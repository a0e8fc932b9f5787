"""Work: what a layer computes and moves."""
