"""The simulated builder: an ONNX model → the engine that TensorRT is predicted to build, and its times; no GPU."""
