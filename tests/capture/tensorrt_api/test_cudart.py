"""libcudart through ctypes, against a library of the same calls that is not there."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tests.mocks.tensorrt import cuda_python_calls as calls
from tests.mocks.tensorrt.gpu import GPU
from trex.capture.tensorrt_api.cuda_calls import ATTRIBUTES, check_device, fill_host
from trex.capture.tensorrt_api.cudart import Cudart
from trex.capture.tensorrt_api.device import device_section
from trex.capture.tensorrt_api.fault import Fault

_ENUMERATED = {
    "cudaMemcpyAsync": (3, calls.cudaMemcpyKind),
    "cudaStreamBeginCapture": (1, calls.cudaStreamCaptureMode),
    "cudaDeviceGetAttribute": (0, calls.cudaDeviceAttr),
}


class Library:
    """The mock's calls as C has them: an error code is given back, results go where pointers say."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == "cudaGetErrorString":
            return _ErrorString()
        call = getattr(calls, name)

        def run(*arguments: Any) -> int:
            self.called.append(name)
            pointers = [argument for argument in arguments if hasattr(argument, "_obj")]
            values = [self._value(argument) for argument in arguments if not hasattr(argument, "_obj")]
            if name == "cudaGetDeviceProperties":
                arguments[0].raw = call(values[1])[1].name.ljust(64, b"\0")
                return 0
            if name in _ENUMERATED:
                place, kind = _ENUMERATED[name]
                values[place] = kind(values[place])
            error, *results = call(*values)
            for pointer, result in zip(pointers, results):
                pointer._obj.value = self._handle(result)
            return int(error)

        return run

    def _value(self, argument: Any) -> Any:
        value = getattr(argument, "value", argument)
        return self._objects.get(value, value or 0) if isinstance(argument, ctypes.c_void_p) else value

    def _handle(self, result: Any) -> Any:
        if isinstance(result, int | float):
            return result
        number = int(result) if isinstance(result, calls.cudaStream_t) else id(result)
        self._objects[number] = result
        return number


class _ErrorString:
    restype: Any = None

    def __call__(self, error: Any) -> bytes:
        return f"error number {error.value}".encode()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(GPU, "is_absent", False)
    return Library()


def test_memory_streams_and_events(library: Library) -> None:
    cuda = Cudart(0, library)
    assert (cuda.driver_version, cuda.runtime_version) == ("12.9", "12.6")
    stream, first, second = cuda.stream(), cuda.event(False), cuda.event(True)
    assert cuda.handle(stream) == 0x5000
    device, host = cuda.allocate(1 << 20), cuda.host(1 << 20)
    fill_host(host, b"x" * (1 << 20))
    cuda.clear(device, 1 << 20)
    cuda.record(first, stream)
    cuda.copy_in(device, host, 1 << 20, stream)
    cuda.copy_out(host, device, 1 << 20, stream)
    cuda.record(second, stream)
    cuda.wait(second)
    cuda.finish(stream)
    assert cuda.milliseconds(first, second) == pytest.approx(2 * (1 << 20) / 25e6, rel=1e-3)


def test_a_graph_replays_what_was_captured(library: Library) -> None:
    cuda = Cudart(0, library)
    stream = cuda.stream()
    cuda.begin_capture(stream)
    GPU.do(cuda.handle(stream), lambda: GPU.spend(3.0))
    graph = cuda.end_capture(stream)
    before = GPU.clock_ms
    cuda.launch(graph, stream)
    assert GPU.clock_ms - before == pytest.approx(3.0, abs=0.01)


def test_the_device_in_trtexecs_words(library: Library) -> None:
    section = device_section(Cudart(0, library))
    assert section["Selected Device"] == "Mock A100"
    assert section["Compute Capability"] == "8.0"
    assert section["SMs"] == "108"
    assert section["Application Compute Clock Rate"] == "1.41 GHz"
    assert section["Device Global Memory"] == "40960 MiB"
    assert set(ATTRIBUTES) > {"ClockRate", "MultiProcessorCount"}


def test_what_fails_is_told_in_cudas_words(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Fault, match="CUDA's cudaMemset failed: error number 1"):
        Cudart(0, library).clear(1, 1)
    monkeypatch.setattr(GPU, "is_absent", True)
    with pytest.raises(Fault, match="CUDA's cudaGetDeviceCount failed: error number 100"):
        Cudart(0, library)


def test_a_gpu_that_is_not_there(library: Library) -> None:
    with pytest.raises(Fault, match="there is no GPU 3: CUDA finds one, which is number 0") as caught:
        Cudart(3, library)
    assert "nvidia-smi -L lists the GPUs" in caught.value.hint and caught.value.code == 2
    with pytest.raises(Fault, match="there is no GPU 8: CUDA finds 8, numbers 0 to 7"):
        check_device(8, 8)


def test_the_next_library_is_tried_where_one_does_not_fit(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    class TooNew:
        def cudaGetDeviceCount(self, count: Any) -> int:
            return 35

        cudaGetErrorString = _ErrorString()

    monkeypatch.setattr("trex.capture.tensorrt_api.cudart.load_cudarts", lambda: iter((TooNew(), library)))
    assert Cudart(0).runtime_version == "12.6"
    monkeypatch.setattr("trex.capture.tensorrt_api.cudart.load_cudarts", lambda: iter((TooNew(),)))
    with pytest.raises(Fault, match="error number 35"):
        Cudart(0)
    monkeypatch.setattr("trex.capture.tensorrt_api.cudart.load_cudarts", lambda: iter(()))
    with pytest.raises(ImportError, match="libcudart was found neither"):
        Cudart(0)
