"""A mock of TensorRT's Python module, release by release, with what drives a GPU that is not there.

``write_tensorrt(folder, "10.4")`` puts packages ``tensorrt`` and ``cuda`` (or ``pycuda``) into a folder for PYTHONPATH.
They offer what the reference documents for that release and nothing more: what a release lacks is absent. Engines are
those of the mock trtexec. The GPU's clock is made up, so that a run takes no time.
"""

from tests.mocks.tensorrt.folder import RELEASES, write_tensorrt, write_tensorrt_rtx

__all__ = ["RELEASES", "write_tensorrt", "write_tensorrt_rtx"]
