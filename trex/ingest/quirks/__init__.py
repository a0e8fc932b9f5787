"""Quirks, one per file: spellings of a TensorRT release or tool, converted to the common spelling."""
