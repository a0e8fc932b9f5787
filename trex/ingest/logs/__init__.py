"""Logs of trtexec and TensorRT's Python logger → runs with options, times and layers."""
