"""Wing: model → engine and its JSON files, with trtexec or TensorRT's Python API; clocks, monitor, archives."""
