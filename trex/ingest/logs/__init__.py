"""Logs → runs: the text TensorRT prints, from trtexec or its Python API, becomes options, times and layers."""
