"""TensorRT's spellings → the words of core: types, formats, shapes, names, kernels, devices."""
