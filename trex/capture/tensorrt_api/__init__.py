"""The collector: a model or an engine → its files, with nothing but TensorRT's Python API.

These modules import the standard library, TensorRT, a CUDA binding and one another, nothing newer than Python 3.8.
``trex collector`` joins them into one file for machines without trex, so no two of them may define the same name; trex
itself runs the same code in a process of its own.
"""
