"""Server: a folder of engines as one local page, with reports, graphs and comparisons; ``trex serve``."""
