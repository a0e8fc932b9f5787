"""A mock GPU and the libraries that measure on it: copies and products take their time at set rates."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

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

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, end: Event) -> float:
        return end.at_ms - self.at_ms + LAUNCH_MS


@dataclass
class Matrix:
    gpu: MockGpu
    shape: Any
    dtype: str

    def to(self, dtype: str) -> Matrix:
        return Matrix(self.gpu, self.shape, dtype)

    def t(self) -> Matrix:
        return self

    def copy_(self, other: Matrix) -> None:
        self.gpu.copied(other.shape)

    @property
    def data(self) -> Any:
        return SimpleNamespace(copy_from_device_async=lambda source, size, stream: self.gpu.copied(size))


def torch_of(gpu: MockGpu, devices: int = 1, **settings: Any) -> Any:
    """The module torch, as far as it is asked; settings: attributes of torch.backends.cuda.matmul."""
    matmul_settings = SimpleNamespace(allow_tf32=False, **settings)

    def made(shape: Any, dtype: str = "float32", device: str = "cuda") -> Matrix:
        assert device == "cuda"
        gpu.allocated(shape if isinstance(shape, int) else 0)
        return Matrix(gpu, shape, dtype)

    def matmul(left: Matrix, right: Matrix, out: Matrix) -> None:
        kind = "tf32" if left.dtype == "float32" and matmul_settings.allow_tf32 else left.dtype
        if left.dtype == "float16" and getattr(matmul_settings, "allow_fp16_accumulation", False):
            kind = "float16 sums"
        gpu.multiplied(kind, left.shape[0])

    properties = SimpleNamespace(
        name="NVIDIA A100-SXM4-40GB", major=8, minor=0, multi_processor_count=108, L2_cache_size=40 << 20
    )
    return SimpleNamespace(
        __version__="2.9.1",
        uint8="uint8", int8="int8", float32="float32", float16="float16", bfloat16="bfloat16",
        float8_e4m3fn="float8",
        zeros=made, ones=made, randn=made,
        empty_like=lambda other: made(other.shape, other.dtype),
        matmul=matmul,
        _int_mm=lambda left, right: gpu.multiplied("int8", left.shape[0]),
        _scaled_mm=lambda left, right, **_: gpu.multiplied("fp8", left.shape[0]),
        backends=SimpleNamespace(cuda=SimpleNamespace(matmul=matmul_settings)),
        cuda=SimpleNamespace(
            is_available=lambda: devices > 0,
            device_count=lambda: devices,
            set_device=lambda device: None,
            get_device_properties=lambda device: properties,
            Event=lambda enable_timing: Event(gpu),
            empty_cache=lambda: None,
        ),
    )  # fmt: skip


def cupy_of(gpu: MockGpu, devices: int = 1) -> dict[str, Any]:
    """The modules of CuPy that are asked for, by name."""
    types = {"float32": "FP32"}

    def made(shape: Any, dtype: str) -> Matrix:
        return Matrix(gpu, shape, dtype)

    def matmul(left: Matrix, right: Matrix, out: Matrix) -> None:
        is_tf32 = left.dtype == "float32" and types["float32"] == "TF32"
        gpu.multiplied("tf32" if is_tf32 else left.dtype, left.shape[0])

    runtime = SimpleNamespace(
        getDeviceCount=lambda: devices,
        getDeviceProperties=lambda device: {
            "name": b"NVIDIA A100-SXM4-40GB", "major": 8, "minor": 0, "multiProcessorCount": 108,
            "l2CacheSize": 40 << 20,
        },
    )  # fmt: skip
    linalg = SimpleNamespace(COMPUTE_TYPE_TF32="TF32", COMPUTE_TYPE_FP32="FP32")
    core = SimpleNamespace(_routines_linalg=linalg, set_compute_type=types.__setitem__)
    cupy = SimpleNamespace(
        __version__="13.6.0",
        _core=core,
        uint8="uint8", float16="float16", float32="float32",
        zeros=made, ones=made,
        empty_like=lambda other: made(other.shape, other.dtype),
        matmul=matmul,
        get_default_memory_pool=lambda: SimpleNamespace(free_all_blocks=lambda: None),
        cuda=SimpleNamespace(
            runtime=runtime,
            Device=lambda device: SimpleNamespace(use=lambda: None),
            Event=lambda: Event(gpu),
            get_current_stream=lambda: None,
            get_elapsed_time=lambda begin, end: begin.elapsed_time(end),
        ),
    )  # fmt: skip
    return {"cupy": cupy, "cupy._core": core}


class CudaOf:
    """What ``CudaPython`` offers, of the mock GPU."""

    runtime_version = "12.9"

    def __init__(self, gpu: MockGpu) -> None:
        self.gpu = gpu
        self.held: dict[int, int] = {}
        self._runtime = SimpleNamespace(cudaMemcpyKind=lambda kind: kind)

    def stream(self) -> int:
        return 7

    def handle(self, stream: int) -> int:
        return stream

    def attribute(self, number: int) -> int:
        return {75: 8, 76: 0, 16: 108, 38: 40 << 20}[number]

    def allocate(self, size: int) -> int:
        self.gpu.allocated(size)
        address = 4096 * (len(self.held) + 1)
        self.held[address] = size
        return address

    def clear(self, address: int, size: int) -> None:
        assert self.held[address] == size

    def _call(self, name: str, *arguments: Any) -> None:
        if name == "cudaFree":
            del self.held[arguments[0]]
        else:
            target, source, size, kind, stream = arguments
            assert (name, kind, stream) == ("cudaMemcpyAsync", 3, 7)
            assert self.held[target] == self.held[source] == size
            self.gpu.copied(size)

    def event(self, blocks: bool) -> Event:
        return Event(self.gpu)

    def record(self, event: Event, stream: int) -> None:
        event.record()

    def wait(self, event: Event) -> None:
        pass

    def milliseconds(self, begin: Event, end: Event) -> float:
        return begin.elapsed_time(end)


class Cublas:
    """The functions of libcublas that are called; kinds: by cublasComputeType_t and type of the factors."""

    kinds: ClassVar = {
        (68, 0): "float32", (77, 0): "tf32", (68, 2): "float16", (64, 2): "float16 sums", (68, 14): "bfloat16",
        (72, 3): "int8",
    }  # fmt: skip

    def __init__(self, cuda: CudaOf) -> None:
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
