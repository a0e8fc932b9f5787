"""Simulator: ONNX → predicted engine and times, and edits of ONNX models to try."""
