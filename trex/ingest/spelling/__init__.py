"""Parsers of TensorRT's spellings: data types, formats, shapes, names, kernels, devices."""
