"""CUDA through pycuda, which has no CUDA graphs."""

from __future__ import annotations

from typing import Any

from trex.capture.tensorrt_api.cuda_common import check_device, cuda_error, cuda_version


class PyCuda:
    """Raises ImportError without pycuda, CollectorError without such a GPU."""

    name = "pycuda"
    has_graphs = False

    def __init__(self, device: int) -> None:
        import pycuda.driver as driver

        self._driver: Any = driver
        try:
            driver.init()
            check_device(device, driver.Device.count())
            self._device = driver.Device(device)
            # TensorRT uses the primary context; old releases of pycuda create one of their own.
            primary = getattr(self._device, "retain_primary_context", None)
            self._context = primary() if primary else self._device.make_context()
            if primary:
                self._context.push()
        except driver.Error as error:
            raise cuda_error("initialization", str(error)) from None
        self._host: dict[int, Any] = {}
        self._memory: dict[int, Any] = {}  # pycuda frees memory without references
        self.driver_version = cuda_version(driver.get_driver_version())
        self.runtime_version = ".".join(str(number) for number in driver.get_version())

    def _try(self, call: str, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except self._driver.Error as error:
            raise cuda_error(call, str(error)) from None

    def allocate(self, size: int) -> int:
        memory = self._try("mem_alloc", self._driver.mem_alloc, size)
        self._memory[int(memory)] = memory
        return int(memory)

    def host(self, size: int) -> int:
        memory = self._try("pagelocked_empty", self._driver.pagelocked_empty, size, "uint8")
        self._host[memory.ctypes.data] = memory
        return int(memory.ctypes.data)

    def clear(self, address: int, size: int) -> None:
        self._try("memset_d8", self._driver.memset_d8, address, 0, size)

    def copy_in(self, device: int, host: int, size: int, stream: Any) -> None:
        self._try("memcpy_htod_async", self._driver.memcpy_htod_async, device, self._host[host][:size], stream)

    def copy_out(self, host: int, device: int, size: int, stream: Any) -> None:
        self._try("memcpy_dtoh_async", self._driver.memcpy_dtoh_async, self._host[host][:size], device, stream)

    def stream(self) -> Any:
        return self._driver.Stream()

    def handle(self, stream: Any) -> int:
        return int(stream.handle)

    def finish(self, stream: Any) -> None:
        self._try("synchronize", stream.synchronize)

    def event(self, blocks: bool) -> Any:
        return self._driver.Event(self._driver.event_flags.BLOCKING_SYNC if blocks else 0)

    def record(self, event: Any, stream: Any) -> None:
        event.record(stream)

    def wait(self, event: Any) -> None:
        self._try("synchronize", event.synchronize)

    def milliseconds(self, first: Any, second: Any) -> float:
        return float(first.time_till(second))

    def attribute(self, number: int) -> int:
        return int(self._device.get_attribute(self._driver.device_attribute.values[number]))

    def memory_bytes(self) -> int:
        return int(self._device.total_memory())

    def device_name(self) -> str:
        return str(self._device.name())
