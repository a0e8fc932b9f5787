"""Explore TensorRT engines: what was built, what it costs, and why."""
