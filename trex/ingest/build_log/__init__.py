"""Verbose build logs of TensorRT 8.2 to 11 and TensorRT for RTX → BuildLog."""
