"""CUDA through cuda-python, whose functions return an error code and then their results."""

from __future__ import annotations

from typing import Any

from trex.capture.tensorrt_api.cuda_common import (
    CAPTURE_OF_THIS_THREAD,
    DEVICE_TO_DEVICE,
    DEVICE_TO_HOST,
    EVENT_BLOCKS,
    HOST_TO_DEVICE,
    check_device,
    cuda_error,
    cuda_version,
)


class CudaPython:
    """Raises ImportError without cuda-python, CollectorError without such a GPU."""

    name = "cuda-python"
    has_graphs = True

    def __init__(self, device: int) -> None:
        try:
            from cuda.bindings import runtime
        except ImportError:
            from cuda import cudart as runtime  # before 12.6
        self._runtime: Any = runtime
        self._device = device
        check_device(device, int(self._call("cudaGetDeviceCount")))
        self._call("cudaSetDevice", device)
        self._call("cudaFree", 0)  # creates the context now, not in the measurement
        self.driver_version = cuda_version(self._call("cudaDriverGetVersion"))
        self.runtime_version = cuda_version(self._call("cudaRuntimeGetVersion"))

    def _call(self, name: str, *arguments: Any) -> Any:
        error, *results = getattr(self._runtime, name)(*arguments)
        if int(error) != 0:
            raise cuda_error(name, getattr(error, "name", str(error)))
        return results[0] if results else None

    def allocate(self, size: int) -> int:
        return int(self._call("cudaMalloc", size))

    def free(self, address: int) -> None:
        self._call("cudaFree", address)

    def host(self, size: int) -> int:
        """Address of page-locked memory."""
        return int(self._call("cudaHostAlloc", size, 0))

    def clear(self, address: int, size: int) -> None:
        self._call("cudaMemset", address, 0, size)

    def copy_in(self, device: int, host: int, size: int, stream: Any) -> None:
        self._copy(device, host, size, HOST_TO_DEVICE, stream)

    def copy_out(self, host: int, device: int, size: int, stream: Any) -> None:
        self._copy(host, device, size, DEVICE_TO_HOST, stream)

    def copy_on_device(self, target: int, source: int, size: int, stream: Any) -> None:
        self._copy(target, source, size, DEVICE_TO_DEVICE, stream)

    def _copy(self, target: int, source: int, size: int, kind: int, stream: Any) -> None:
        self._call("cudaMemcpyAsync", target, source, size, self._runtime.cudaMemcpyKind(kind), stream)

    def stream(self) -> Any:
        return self._call("cudaStreamCreate")

    def handle(self, stream: Any) -> int:
        return int(stream)

    def finish(self, stream: Any) -> None:
        self._call("cudaStreamSynchronize", stream)

    def event(self, blocks: bool) -> Any:
        return self._call("cudaEventCreateWithFlags", EVENT_BLOCKS if blocks else 0)

    def record(self, event: Any, stream: Any) -> None:
        self._call("cudaEventRecord", event, stream)

    def wait(self, event: Any) -> None:
        self._call("cudaEventSynchronize", event)

    def milliseconds(self, first: Any, second: Any) -> float:
        return float(self._call("cudaEventElapsedTime", first, second))

    def begin_capture(self, stream: Any) -> None:
        self._call("cudaStreamBeginCapture", stream, self._runtime.cudaStreamCaptureMode(CAPTURE_OF_THIS_THREAD))

    def end_capture(self, stream: Any) -> Any:
        """The instantiated graph."""
        graph = self._call("cudaStreamEndCapture", stream)
        try:
            return self._call("cudaGraphInstantiate", graph, 0)
        except TypeError:  # CUDA 11 also takes a log buffer
            return self._call("cudaGraphInstantiate", graph, b"", 0)

    def launch(self, graph: Any, stream: Any) -> None:
        self._call("cudaGraphLaunch", graph, stream)

    def attribute(self, number: int) -> int:
        return int(self._call("cudaDeviceGetAttribute", self._runtime.cudaDeviceAttr(number), self._device))

    def memory_bytes(self) -> int:
        error, _, total = self._runtime.cudaMemGetInfo()
        return int(total) if int(error) == 0 else 0

    def device_name(self) -> str:
        name = self._call("cudaGetDeviceProperties", self._device).name
        return name.split(b"\0")[0].decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
