"""Charts of one engine: each file offers a tuple ``CHARTS`` of specifications."""
