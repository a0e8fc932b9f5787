"""The collector: a model or an engine → its artifacts, through TensorRT's Python API alone.

These modules import the standard library, TensorRT and what drives CUDA, and one another: nothing else of trex, and
nothing newer than Python 3.8. ``trex collector`` writes them into one file for machines that have no trex, so that no
two of them may define the same name; what trex itself runs is the same code, in a process of its own.
"""
