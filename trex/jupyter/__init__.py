"""Notebooks: what a cell shows of a plan and of its graph."""
