"""Charts of two engines: each file offers a tuple ``CHARTS`` of specifications."""
