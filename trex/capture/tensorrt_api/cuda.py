"""CUDA through cuda-python, whose functions return an error code and their results; the GPU as logs describe it."""

from __future__ import annotations

from typing import Any

from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.log import Log

NO_CUDA_HINT = "pip install cuda-python (trex's extra: tensorrt-engine-explorer[gpu])"
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
CAPTURE_OF_THIS_THREAD = 1
EVENT_BLOCKS = 1
# cudaDeviceAttr
ATTRIBUTES: dict[str, int] = {
    "ClockRate": 13,
    "MultiProcessorCount": 16,
    "MemoryClockRate": 36,
    "GlobalMemoryBusWidth": 37,
    "ComputeCapabilityMajor": 75,
    "ComputeCapabilityMinor": 76,
    "MaxSharedMemoryPerMultiprocessor": 81,
}


class CudaPython:
    """Raises ImportError without cuda-python, CollectorError without such a GPU."""

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


def open_cuda(log: Log, device: int) -> CudaPython | None:
    """None without cuda-python. Raises CollectorError without such a GPU."""
    try:
        cuda = CudaPython(device)
    except ImportError:
        return None
    log.info(f"CUDA through cuda-python, driver {cuda.driver_version}, runtime {cuda.runtime_version}")
    return cuda


def device_section(cuda: Any) -> dict[str, str]:
    """Facts that CUDA does not report are left out. Clocks are the highest, not those of the run."""
    section = {"Selected Device": cuda.device_name()}
    major, minor = _attribute(cuda, "ComputeCapabilityMajor"), _attribute(cuda, "ComputeCapabilityMinor")
    if major:
        section["Compute Capability"] = "%d.%d" % (major, minor)
    for key, name, divisor, unit in (
        ("SMs", "MultiProcessorCount", 1, ""),
        ("Shared Memory per SM", "MaxSharedMemoryPerMultiprocessor", 1024, " KiB"),
        ("Memory Bus Width", "GlobalMemoryBusWidth", 1, " bits"),
        ("Application Compute Clock Rate", "ClockRate", 1e6, " GHz"),
        ("Application Memory Clock Rate", "MemoryClockRate", 1e6, " GHz"),
    ):
        value = _attribute(cuda, name)
        if value > 0:
            section[key] = f"{value / divisor:g}{unit}"
    memory = cuda.memory_bytes()
    if memory:
        section["Device Global Memory"] = "%d MiB" % (memory >> 20)
    return section


def _attribute(cuda: Any, name: str) -> int:
    try:
        return int(cuda.attribute(ATTRIBUTES[name]))
    except (CollectorError, ValueError):
        return 0


def cuda_error(call: str, message: str) -> CollectorError:
    lower = message.lower()
    hint = "nvidia-smi should list the GPU" if "device" in lower or "driver" in lower else ""
    if "memory" in lower:
        hint = "other programs may use the GPU's memory; smaller shapes need less"
    return CollectorError(f"CUDA's {call} failed: {message}", hint, FAILED)


def check_device(device: int, count: int) -> None:
    """Raises CollectorError for a number that none of the ``count`` GPUs has."""
    if not 0 <= device < count:
        gpus = "none" if count < 1 else "one, number 0" if count == 1 else f"{count}, numbers 0 to {count - 1}"
        raise CollectorError(
            f"there is no GPU {device}: CUDA finds {gpus}",
            "nvidia-smi -L lists the GPUs; choose one of these numbers (CUDA_VISIBLE_DEVICES renumbers them)",
        )


def cuda_version(number: int) -> str:
    """12090 → 12.9."""
    return "%d.%d" % (number // 1000, number % 1000 // 10)
