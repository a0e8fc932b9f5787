"""A stand-in for TensorRT's Python module, release by release, with what drives a GPU that is not there.

``write_tensorrt(folder, "10.4")`` puts packages ``tensorrt`` and ``cuda`` (or ``pycuda``) into a folder for PYTHONPATH.
They offer what the reference documents for that release and nothing more: what a release lacks is absent. Engines are
those of the stand-in trtexec. The GPU's clock is made up, so that a run takes no time.
"""

from tests.stand_in.tensorrt.folder import RELEASES, write_tensorrt

__all__ = ["RELEASES", "write_tensorrt"]
