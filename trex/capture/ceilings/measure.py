"""A present GPU → Device: copy bandwidth and rates of matrix products as measured, the rest as the driver tells it.

bandwidth = 2 · bytes / time of a copy from memory to memory (each byte is read and written), of a copy far larger than
the L2. rate = 2 · n³ / time of a product of two n × n matrices (a multiply-add is two operations). Times are between
CUDA events around many launches that were queued in one go, so that the launching of all but the first hides behind the
work; each figure is the median of several such runs after warm-up. What a library reaches is below what the units could
do: by these figures a layer is judged against the best known code, not against the datasheet. Clocks and power are left
as they are; the clock while the work ran is read from NVML, where it is there, and told with the figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from trex.capture.ceilings.library import LIBRARIES, Launch, Library
from trex.capture.device_info import device_properties
from trex.capture.nvml import open_gpu
from trex.core.data_type import DataType
from trex.core.device_facts import DeviceFacts
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.spelling.device_facts import device_facts
from trex.perf.arithmetic import Arithmetic
from trex.perf.device import Device
from trex.perf.rate import Rate
from trex.perf.recognize import device_of_facts

ORDER = ("pytorch", "cupy", "cuda-python")
_L2_MULTIPLE = 8
_LEAST_COPY, _MOST_COPY = 256 << 20, 2 << 30
_SIDE = 8192
_RUNS, _RUN_MS, _MOST_LAUNCHES = 9, 50.0, 2000
_WARM_UP_MS = 200.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What one launch takes: median of ``runs`` runs of ``launches``; clock_mhz: median meanwhile, None if not told."""

    ms: float
    runs: int
    launches: int
    clock_mhz: float | None

    @property
    def words(self) -> str:
        clock = "" if self.clock_mhz is None else f" at {self.clock_mhz:.0f} MHz"
        return f"median of {self.runs} × {self.launches} launches{clock}"


def measure_device(gpu_id: int = 0, library: str = "") -> Device:
    """Measures CUDA's GPU ``gpu_id``. library: its name, or "" for the first of PyTorch, CuPy and cuda-python that is
    there and finds the GPU.

    Arithmetic that the library or the GPU does not know is left to what is derived, with a Note. Raises TrexError
    when none can be used, saying why of each, and when not even a copy can be made.
    """
    at_gpu = _opened(gpu_id, library)
    facts = _facts(at_gpu, gpu_id)
    device = device_of_facts(facts, source="reported by the driver")
    notes = [note for note in device.notes if note.code not in ("device-facts-differ", "device-not-known")]
    with _clock_reader(gpu_id, notes) as read_clock:
        bandwidth, source = _copy_bandwidth(at_gpu, device.l2_mib, read_clock)
        rates = dict(_rates(at_gpu, read_clock, notes))
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


def product_ops_per_s(side: int, ms: float) -> float:
    """Operations a second of a product of square matrices: 2 · side³ / time."""
    return 2 * side**3 / (ms * 1e-3)


def timed(library: Library, launch: Launch, read_clock: Callable[[], float | None] = lambda: None) -> Reading:
    """How long one launch takes the GPU, launching left out as far as it hides behind the work.

    Warms up until the GPU has worked for 0.2 s, and then runs as many launches at once as take about 50 ms.
    """
    first_ms = max(library.elapsed_ms(launch, 1), 1e-4)
    once_ms = max(library.elapsed_ms(launch, 3) / 3, 1e-4)
    warm_ms = first_ms + 3 * once_ms
    while warm_ms < _WARM_UP_MS:
        launches = _launches(once_ms)
        took = library.elapsed_ms(launch, launches)
        once_ms = max(took / launches, 1e-4)
        warm_ms += max(took, 1.0)
    launches = _launches(once_ms)
    clocks: list[float] = []

    def look() -> None:
        clock = read_clock()
        if clock is not None:
            clocks.append(clock)

    runs = [library.elapsed_ms(launch, launches, look) / launches for _ in range(_RUNS)]
    middle = median(runs)
    if not 0 < middle < float("inf"):
        raise TrexError(f"the events around the work tell {middle} ms", "the driver's timer does not work here")
    return Reading(middle, _RUNS, launches, median(clocks) if clocks else None)


def _launches(once_ms: float) -> int:
    return min(max(round(_RUN_MS / once_ms), 1), _MOST_LAUNCHES)


def _opened(gpu_id: int, library: str) -> Library:
    reasons = []
    for name in (library,) if library else ORDER:
        plug = LIBRARIES.chosen(name)
        try:
            opened: Library = plug.value(gpu_id)
        except ImportError:
            reasons.append(f"{name} is not installed")
        except Exception as error:  # libraries raise what they like when the driver is absent
            reasons.append(f"{name}: {_said(error)}")
        else:
            return opened
    raise TrexError(
        f"nothing here can measure a GPU ({'; '.join(reasons)})",
        "nvidia-smi should list the GPU; pip install torch, or cupy-cuda12x, or 'tensorrt-engine-explorer[gpu]' with "
        "nvidia-cublas-cu12 (whose CUDA release fits the driver)",
    )


def _said(error: Exception) -> str:
    text = error.message if isinstance(error, TrexError) else str(error)
    return (text.strip().split("\n")[0] or type(error).__name__)[:200]


def _facts(library: Library, gpu_id: int) -> DeviceFacts:
    """What the driver tells of the GPU, by whichever package, completed by what the library tells."""
    told = library.facts()
    with suppress(TrexError):
        told_by_driver = device_facts(device_properties(gpu_id)[0])
        fits = told.name is None or told_by_driver.name is None or told.name == told_by_driver.name
        if fits:  # NVML may count the GPUs another way
            known = {
                name: value for name in DeviceFacts.__slots__ if (value := getattr(told_by_driver, name)) is not None
            }
            told = replace(told, **known)
    return told


def _copy_bandwidth(
    library: Library, l2_mib: float | None, read_clock: Callable[[], float | None]
) -> tuple[float, str]:
    size = min(max(int((l2_mib or 0) * 2**20) * _L2_MULTIPLE, _LEAST_COPY), _MOST_COPY)
    while True:
        try:
            reading = timed(library, library.copy(size), read_clock)
            break
        except Exception as error:  # too little memory is said in a way of its own by each library
            library.release()
            if size <= _LEAST_COPY // 8:
                raise TrexError(
                    f"not even a copy could be timed: {_said(error)}", "other programs may hold the GPU's memory"
                ) from error
            size //= 2
    library.release()
    source = f"copies of {size >> 20} MiB, read and written, {reading.words}, {library.words}"
    return _five_digits(copy_gb_per_s(size, reading.ms)), source


def _rates(
    library: Library, read_clock: Callable[[], float | None], notes: list[Note]
) -> Iterator[tuple[Arithmetic, Rate]]:
    if not library.arithmetics:
        told = "cuBLAS is not there: rates of matrix products were not measured"
        notes.append(Note("ceiling-not-measured", told, "pip install nvidia-cublas-cu12, or torch"))
    for arithmetic in library.arithmetics:
        try:
            reading = timed(library, library.product(arithmetic, _SIDE), read_clock)
        except Exception as error:  # what a GPU lacks is said in a way of its own by each library
            told = f"{_words(arithmetic)} could not be measured with {library.words}: {_said(error)}"
            notes.append(Note("ceiling-not-measured", told, "", severity="info"))
        else:
            source = f"products of {_SIDE} × {_SIDE} matrices, {reading.words}, {library.words}"
            yield arithmetic, Rate(_five_digits(product_ops_per_s(_SIDE, reading.ms)), source, "measured")
        finally:
            library.release()


def _five_digits(value: float) -> float:
    """As many as a measurement deserves."""
    return float(f"{value:.5g}")


def _words(arithmetic: Arithmetic) -> str:
    name = "TF32" if arithmetic.tf32 else arithmetic.data_type.label
    return (
        f"{name} with sums in {arithmetic.accumulate.label}" if arithmetic.accumulate is not DataType.UNKNOWN else name
    )


@contextmanager
def _clock_reader(gpu_id: int, notes: list[Note]) -> Iterator[Callable[[], float | None]]:
    """A function that reads the SMs' clock in MHz, None where NVML does not tell it."""
    try:
        opened = open_gpu(gpu_id, purpose="reading the GPU's clock")
        gpu = opened.__enter__()
    except TrexError as error:
        notes.append(
            Note("ceiling-without-clock", f"{error.message}; the clock is not told", error.hint, severity="info")
        )
        yield lambda: None
        return
    nvml: Any = gpu.nvml

    def read() -> float | None:
        with suppress(nvml.NVMLError):
            return float(nvml.nvmlDeviceGetClockInfo(gpu.handle, nvml.NVML_CLOCK_SM))
        return None

    try:
        yield read
    finally:
        opened.__exit__(None, None, None)
