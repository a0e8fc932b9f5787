"""CUDA through cuda-python or pycuda, whichever is installed; both offer the same few calls."""

from __future__ import annotations

from typing import Any, Callable

from trex.capture.tensorrt_api.cuda_python import CudaPython
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.log import Log
from trex.capture.tensorrt_api.pycuda_driver import PyCuda

# Streams, events and graphs are the binding's own objects; memory is an int; ``handle`` is what TensorRT takes.
BINDINGS: dict[str, Callable[[int], Any]] = {"cuda-python": CudaPython, "pycuda": PyCuda}
NO_CUDA_HINT = "pip install cuda-python (trex's extra: tensorrt-engine-explorer[gpu]), or pycuda"


def open_cuda(log: Log, name: str, device: int) -> Any | None:
    """The binding ``name``, or the first that works for ""; None if none is installed.

    Raises CollectorError without a GPU.
    """
    if name == "none":
        return None
    if name and name not in BINDINGS:
        raise CollectorError(f"there is no CUDA binding {name!r}", "one of {}, none".format(", ".join(BINDINGS)))
    failure: CollectorError | None = None
    for choice in [name] if name else BINDINGS:
        try:
            cuda = BINDINGS[choice](device)
        except CollectorError as error:  # perhaps made for another driver; the next one may fit
            failure = failure or error
            continue
        except ImportError as error:
            if name:
                raise CollectorError(f"{choice} cannot be used: {error}", NO_CUDA_HINT) from None
            continue
        log.info(f"CUDA through {choice}, driver {cuda.driver_version}, runtime {cuda.runtime_version}")
        return cuda
    if failure is not None:
        raise failure
    return None
