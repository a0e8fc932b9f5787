"""Wing — a model becomes an engine and its JSON: trtexec or the TensorRT API, and what is around a run."""
