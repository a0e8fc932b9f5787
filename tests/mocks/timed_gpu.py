"""A mock GPU on which copies and GEMMs take their time at set rates, with mocks of CUDA and cuBLAS for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from trex.capture import ceilings, cublas
from trex.capture.tensorrt_api.cuda_common import check_device

_PROPERTIES = {
    "Name": "NVIDIA A100-SXM4-40GB",
    "ComputeCapability": [8, 0],
    "MULTIPROCESSOR_COUNT": 108,
    "L2_CACHE_SIZE": 40 << 20,
}
COPY_GB_PER_S = 1500.0
TERA_PER_S = {"float32": 15.0, "tf32": 120.0, "float16": 250.0, "bfloat16": 245.0, "int8": 480.0, "float16 sums": 280.0}
LAUNCH_MS = 0.005


@dataclass
class MockGpu:
    """busy_until_ms: its clock, moved on by every piece of work.

    lacking: arithmetics that it refuses. memory_bytes: more than that at once is refused.
    """

    busy_until_ms: float = 0.0
    lacking: set[str] = field(default_factory=set)
    memory_bytes: float = 80 * 2**30
    launches: int = 0
    copies: set[int] = field(default_factory=set)
    held: dict[int, int] = field(default_factory=dict)

    def copied(self, size_bytes: int) -> None:
        self.copies.add(size_bytes)
        self._work(2 * size_bytes / (COPY_GB_PER_S * 1e9) * 1e3)

    def multiplied(self, kind: str, side: int) -> None:
        if kind in self.lacking:
            raise RuntimeError(f"{kind} is not supported on this GPU\nand more")
        self._work(2 * side**3 / (TERA_PER_S[kind] * 1e12) * 1e3)

    def allocated(self, size_bytes: int) -> None:
        if size_bytes > self.memory_bytes:
            raise MemoryError("CUDA out of memory")

    def _work(self, ms: float) -> None:
        self.launches += 1
        self.busy_until_ms += ms


class Event:
    def __init__(self, gpu: MockGpu) -> None:
        self.gpu = gpu
        self.at_ms = 0.0

    def record(self, *_: Any) -> None:
        self.at_ms = self.gpu.busy_until_ms

    def elapsed_ms(self, end: Event) -> float:
        return end.at_ms - self.at_ms + LAUNCH_MS


class MockCuda:
    """What ``CudaPython`` offers, of the mock GPU."""

    runtime_version = "12.9"

    def __init__(self, gpu: MockGpu, device: int = 0) -> None:
        check_device(device, 1)
        self.gpu = gpu
        self.held = gpu.held

    def stream(self) -> int:
        return 7

    def handle(self, stream: int) -> int:
        return stream

    def allocate(self, size: int) -> int:
        self.gpu.allocated(size)
        address = 4096 * (len(self.held) + 1)
        self.held[address] = size
        return address

    def clear(self, address: int, size: int) -> None:
        assert self.held[address] == size

    def free(self, address: int) -> None:
        del self.held[address]

    def copy_on_device(self, target: int, source: int, size: int, stream: int) -> None:
        assert stream == 7 and self.held[target] == self.held[source] == size
        self.gpu.copied(size)

    def event(self, blocks: bool) -> Event:
        return Event(self.gpu)

    def record(self, event: Event, stream: int) -> None:
        event.record()

    def wait(self, event: Event) -> None:
        pass

    def milliseconds(self, begin: Event, end: Event) -> float:
        return begin.elapsed_ms(end)


class MockCublas:
    """The functions of libcublas that are called; kinds: by cublasComputeType_t and type of the factors."""

    kinds: ClassVar = {
        (68, 0): "float32", (77, 0): "tf32", (68, 2): "float16", (64, 2): "float16 sums", (68, 14): "bfloat16",
        (72, 3): "int8",
    }  # fmt: skip

    def __init__(self, cuda: MockCuda) -> None:
        self.cuda = cuda

    def cublasCreate_v2(self, handle: Any) -> int:
        return 0

    def cublasSetStream_v2(self, handle: Any, stream: Any) -> int:
        return 0 if stream.value == 7 else 7

    def cublasGemmEx(self, *arguments: Any) -> int:
        (_, transposed, plain, m, n, k, _one, left, left_type, lda, right, right_type, ldb, _zero, out, out_type, ldc,
         compute, algorithm) = arguments  # fmt: skip
        assert (transposed, plain, algorithm) == (1, 0, -1) and m == n == k == lda == ldb == ldc
        width, sum_width = {0: 4, 2: 2, 14: 2, 3: 1}[left_type], {0: 4, 2: 2, 14: 2, 10: 4}[out_type]
        assert left_type == right_type
        assert self.cuda.held[left.value] == self.cuda.held[right.value] == m * m * width
        assert self.cuda.held[out.value] == m * m * sum_width
        kind = self.kinds[compute, left_type]
        if kind in self.cuda.gpu.lacking:
            return 15
        self.cuda.gpu.multiplied(kind, m)
        return 0


def install(monkeypatch: pytest.MonkeyPatch) -> MockGpu:
    """Puts a mock GPU in the place of CUDA, cuBLAS and the driver."""
    gpu = MockGpu()
    monkeypatch.setattr(cublas, "CudaPython", lambda device: MockCuda(gpu, device))
    monkeypatch.setattr(cublas, "_load_cublas", lambda: MockCublas(MockCuda(gpu)))
    monkeypatch.setattr(ceilings, "device_properties", lambda gpu_id: [_PROPERTIES])
    return gpu
