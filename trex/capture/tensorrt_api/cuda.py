"""CUDA through whatever is there: cuda-python, pycuda, or CUDA's own library; each offers the same few calls."""

from __future__ import annotations

from typing import Any, Callable

from trex.capture.tensorrt_api.cuda_python import CudaPython
from trex.capture.tensorrt_api.cudart import Cudart
from trex.capture.tensorrt_api.fault import Fault
from trex.capture.tensorrt_api.log import Log
from trex.capture.tensorrt_api.pycuda_driver import PyCuda

# Streams, events and graphs are the way's own objects; memory is an int; ``handle`` is what TensorRT takes.
WAYS: dict[str, Callable[[int], Any]] = {"cuda-python": CudaPython, "pycuda": PyCuda, "libcudart": Cudart}
NO_CUDA_HINT = "pip install cuda-python (trex's extra: tensorrt-engine-explorer[gpu]), or pycuda"


def open_cuda(log: Log, wanted: str, device: int) -> Any | None:
    """The way that was asked for, or the first that works; None when there is none. Raises Fault without a GPU."""
    if wanted == "none":
        return None
    if wanted and wanted not in WAYS:
        raise Fault(f"there is no way to CUDA called {wanted!r}", "one of {}, none".format(", ".join(WAYS)))
    failed: Fault | None = None
    for name in [wanted] if wanted else WAYS:
        try:
            way = WAYS[name](device)
        except Fault as fault:  # made for another driver, perhaps: the next one need not be
            failed = failed or fault
            continue
        except ImportError as error:
            if wanted:
                raise Fault(f"{name} cannot be used: {error}", NO_CUDA_HINT) from None
            continue
        log.info(f"CUDA through {name}, driver {way.driver_version}, runtime {way.runtime_version}")
        return way
    if failed is not None:
        raise failed
    return None
