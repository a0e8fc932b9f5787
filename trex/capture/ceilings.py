"""This machine's GPU → Device: copy bandwidth and GEMM rates as measured, everything else as the driver reports it.

bandwidth = 2 · bytes / time of a copy within the GPU's memory (each byte is read and written) that is far larger than
the L2. rate = 2 · n³ / time of a GEMM of two n × n matrices (a MAC is two operations). Times are between CUDA events
around many queued launches, so that all launches but the first overlap with the work; each figure is the median of
several such runs after warm-up. A library stays below what the hardware could do: these figures compare a layer with
the best known code, not with the datasheet. Clocks and power are not changed; the SM clock during the work is read from
NVML, if available, and reported with the figure. Measured are FP32, TF32, FP16 (accumulating in FP32 and in FP16), BF16
and INT8; FP8 and FP4 keep their derived peaks.

Tried with CUDA 13.3 in November 2026, three times on each of two GPUs at unlocked clocks; the medians in percent of
the table's figures:

| GPU | copy | FP32 | TF32 | FP16 | BF16 | INT8 | of three runs, the largest over the smallest |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| H100 80GB HBM3 | 90 | 76 | 85 | 79 | 82 | 72 | 1.013 |
| H200 | 88 | 76 | 89 | 76 | 79 | 84 | 1.012 |

Their power limit lowers the SM clock from 1980 MHz to 1560 to 1740 MHz in FP16 and BF16.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from statistics import median

from trex.capture.cublas import GpuWork, Launch
from trex.capture.device_info import device_properties
from trex.capture.nvml import open_gpu
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.spelling.device_facts import device_facts
from trex.perf.arithmetic import Arithmetic, Rate
from trex.perf.device import Device
from trex.perf.recognize import device_of_facts

_L2_MULTIPLE, _LEAST_L2_MULTIPLE = 8, 4
_SMALLEST_COPY, _LARGEST_COPY = 256 << 20, 2 << 30
_SIDE = 8192
_RUNS, _RUN_MS, _MAX_LAUNCHES = 9, 50.0, 2000
_WARM_UP_MS = 200.0

ReadClock = Callable[[], "float | None"]


@dataclass(frozen=True, slots=True)
class LaunchTime:
    """Time of one launch: median of ``runs`` runs of ``launches``. clock_mhz: median, None if not reported."""

    ms: float
    runs: int
    launches: int
    clock_mhz: float | None

    @property
    def text(self) -> str:
        clock = "" if self.clock_mhz is None else f" at {self.clock_mhz:.0f} MHz"
        return f"median of {self.runs} × {self.launches} launches{clock}"


def measure_device(gpu_id: int = 0) -> Device:
    """Measures CUDA's GPU ``gpu_id``. A data type that the GPU lacks keeps its derived peak, with a Note.

    Raises TrexError without cuda-python or GPU, and if not even a copy can be timed.
    """
    work = _open(gpu_id)
    device = device_of_facts(device_facts(device_properties(gpu_id)[0]), source="reported by the driver")
    notes = [note for note in device.notes if note.code not in ("device-facts-differ", "device-not-known")]
    with _clock_reader(gpu_id, notes) as read_clock:
        bandwidth, source = _copy_bandwidth(work, device.l2_mib, read_clock)
        rates = dict(_gemm_rates(work, read_clock, notes))
    return replace(
        device,
        bandwidth_gb_per_s=bandwidth,
        aliases=(),
        rates=rates,
        notes=tuple(notes),
        sources={**device.sources, "bandwidth_gb_per_s": source},
        certainties={**device.certainties, "bandwidth_gb_per_s": "measured"},
    )


def copy_gb_per_s(size_bytes: int, ms: float) -> float:
    """10⁹ bytes a second of a copy, which reads and writes each byte: 2 · bytes / time."""
    return 2 * size_bytes / (ms * 1e-3) / 1e9


def gemm_ops_per_s(side: int, ms: float) -> float:
    """Operations a second of a GEMM of square matrices: 2 · side³ / time."""
    return 2 * side**3 / (ms * 1e-3)


def time_launch(work: GpuWork, launch: Launch, read_clock: ReadClock = lambda: None) -> LaunchTime:
    """GPU time of one launch: warms up for 0.2 s, then queues as many launches at once as take about 50 ms."""
    first_ms = max(work.elapsed_ms(launch, 1), 1e-4)
    once_ms = max(work.elapsed_ms(launch, 3) / 3, 1e-4)
    warm_ms = first_ms + 3 * once_ms
    while warm_ms < _WARM_UP_MS:
        launches = _launches(once_ms)
        elapsed = work.elapsed_ms(launch, launches)
        once_ms = max(elapsed / launches, 1e-4)
        warm_ms += max(elapsed, 1.0)
    launches = _launches(once_ms)
    clocks: list[float] = []

    def sample_clock() -> None:
        clock = read_clock()
        if clock is not None:
            clocks.append(clock)

    runs = [work.elapsed_ms(launch, launches, sample_clock) / launches for _ in range(_RUNS)]
    middle = median(runs)
    if not 0 < middle < float("inf"):
        raise TrexError(f"the CUDA events around the work are {middle} ms apart", "the driver's timer does not work")
    return LaunchTime(middle, _RUNS, launches, median(clocks) if clocks else None)


def _launches(once_ms: float) -> int:
    return min(max(round(_RUN_MS / once_ms), 1), _MAX_LAUNCHES)


def _open(gpu_id: int) -> GpuWork:
    hint = (
        "nvidia-smi should list the GPU; pip install 'tensorrt-engine-explorer[gpu]' nvidia-cublas-cu12 "
        "(the CUDA release must fit the driver)"
    )
    try:
        return GpuWork(gpu_id)
    except ImportError:
        raise TrexError("measuring a GPU needs cuda-python, which is not installed", hint) from None
    except Exception as error:  # the bindings raise anything without a driver
        raise TrexError(f"no GPU can be measured here: {_first_line(error)}", hint) from error


def _first_line(error: Exception) -> str:
    text = error.message if isinstance(error, TrexError) else str(error)
    return (text.strip().split("\n")[0] or type(error).__name__)[:200]


def _copy_bandwidth(work: GpuWork, l2_mib: float | None, read_clock: ReadClock) -> tuple[float, str]:
    l2_bytes = int((l2_mib or 0) * 2**20)
    size = min(max(l2_bytes * _L2_MULTIPLE, _SMALLEST_COPY), _LARGEST_COPY)
    smallest = max(l2_bytes * _LEAST_L2_MULTIPLE, _SMALLEST_COPY // 8)
    while True:
        try:
            time = time_launch(work, work.copy(size), read_clock)
            break
        except Exception as error:  # too little memory, in the bindings' own words
            work.free()
            if size // 2 < smallest:
                message = f"not even a copy of {size >> 20} MiB could be timed: {_first_line(error)}"
                raise TrexError(message, "other programs may use the GPU's memory") from error
            size //= 2
    work.free()
    source = f"copies of {size >> 20} MiB, read and written, {time.text}, {work.name}"
    return _five_digits(copy_gb_per_s(size, time.ms)), source


def _gemm_rates(work: GpuWork, read_clock: ReadClock, notes: list[Note]) -> Iterator[tuple[Arithmetic, Rate]]:
    if not work.arithmetics:
        message = "cuBLAS is not installed: GEMM rates were not measured"
        notes.append(Note("ceiling-not-measured", message, "pip install nvidia-cublas-cu12"))
    for arithmetic in work.arithmetics:
        try:
            time = time_launch(work, work.gemm(arithmetic, _SIDE), read_clock)
        except Exception as error:  # a data type that this GPU lacks
            message = f"{_label(arithmetic)} could not be measured with {work.name}: {_first_line(error)}"
            notes.append(Note("ceiling-not-measured", message, "", severity="info"))
        else:
            source = f"GEMMs of {_SIDE} × {_SIDE} matrices, {time.text}, {work.name}"
            yield arithmetic, Rate(_five_digits(gemm_ops_per_s(_SIDE, time.ms)), source, "measured")
        finally:
            work.free()


def _five_digits(value: float) -> float:
    """Significant digits, as many as a measurement deserves."""
    return float(f"{value:.5g}")


def _label(arithmetic: Arithmetic) -> str:
    name = "TF32" if arithmetic.tf32 else arithmetic.data_type.label
    if arithmetic.accumulate is DataType.UNKNOWN:
        return name
    return f"{name} accumulating in {arithmetic.accumulate.label}"


@contextmanager
def _clock_reader(gpu_id: int, notes: list[Note]) -> Iterator[ReadClock]:
    """A function that reads the SM clock in MHz, None where NVML does not report it."""
    with ExitStack() as stack:
        try:
            gpu = stack.enter_context(open_gpu(gpu_id, purpose="reading the GPU's clock"))
        except TrexError as error:
            message = f"{error.message}; the figures come without a clock"
            notes.append(Note("ceiling-without-clock", message, error.hint, severity="info"))
            yield lambda: None
            return

        def read() -> float | None:
            with suppress(gpu.nvml.NVMLError):
                return float(gpu.nvml.nvmlDeviceGetClockInfo(gpu.handle, gpu.nvml.NVML_CLOCK_SM))
            return None

        yield read
