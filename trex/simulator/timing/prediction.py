"""Layers, their works and a device → Prediction: milliseconds of every layer; and Inference: the time of one query.

GPU compute = Σ over kernels of max(layer time − profiler share · launch, LEAST_MS), since the profiler's events around
every layer are absent in a normal run; without a CUDA graph plus STREAM_GAP_MS between two kernels, and at least the
time that the host takes to enqueue them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.core.note import Note
from trex.perf.device import Device
from trex.perf.expected import NOTED_SHARE, unjudged_words
from trex.perf.work.plan_works import work_of
from trex.perf.work.work import Work
from trex.plan.unknown_work import UnknownWork
from trex.simulator.timing.constants import Constants, fitted
from trex.simulator.timing.demand import Demand, demands_of
from trex.simulator.timing.intervals import (
    SAME_GPU,
    UNJUDGED,
    compute_interval,
    distance_between,
    fitted_devices,
    is_judged,
    unknown_work_interval,
)
from trex.simulator.timing.machine import matrix_clock_ghz
from trex.simulator.timing.time_kinds import HOST, NOTHING


@frozen
class LayerPrediction:
    """ms: as TensorRT's profiler would measure it. demand: the input of the prediction."""

    ms: float
    demand: Demand

    @property
    def is_kernel(self) -> bool:
        return self.demand.kind not in (NOTHING, HOST)


@dataclass(frozen=True)
class Prediction:
    """device: as given. distance: from the devices of the fit, one of ``intervals.DISTANCES``. layers: one per layer,
    in their order. total_ms: their sum.
    """

    device: Device
    distance: str
    layers: tuple[LayerPrediction, ...]
    total_ms: float
    constants: Constants
    notes: tuple[Note, ...] = ()

    @property
    def unjudged(self) -> dict[str, float]:
        """Kind of work that no measured engine has judged → its share of the predicted time, the largest first; without
        layers of unknown work.
        """
        shares: dict[str, float] = {}
        for layer in self.layers:
            work = layer.demand.work
            if layer.demand.is_known and work and layer.ms and not is_judged(self.constants.document, work):
                shares[work] = shares.get(work, 0.0) + layer.ms / self.total_ms
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    @property
    def unknown_work(self) -> UnknownWork | None:
        """Of the layers whose times are lower bounds; None without any."""
        unknown = [layer.ms for layer in self.layers if not layer.demand.is_known]
        return UnknownWork(len(unknown), sum(unknown) / self.total_ms if self.total_ms else 0.0) if unknown else None

    @property
    def kernel_count(self) -> int:
        return sum(layer.is_kernel for layer in self.layers)


def predict(
    layers: Sequence[Layer], device: Device, works: Sequence[Work] | None = None, constants: Constants | None = None
) -> Prediction:
    """The times of layers that run one after the other.

    works: one per layer; by default from the layers' own records. constants: by default those of the package. Raises
    TrexError for a device of unknown memory bandwidth, clock, SMs or rates, and ValueError if works and layers differ
    in number.
    """
    constants = constants or fitted()
    works = [work_of(layer) for layer in layers] if works is None else works
    if len(works) != len(layers):
        raise ValueError(f"{len(works)} works for {len(layers)} layers")
    return predict_demands(demands_of(layers, works, device), device, constants)


def predict_demands(demands: Sequence[Demand], device: Device, constants: Constants) -> Prediction:
    """The times of layers of these demands."""
    capability = device.compute_capability or (0, 0)
    distance = distance_between(device, fitted_devices(constants.document))
    predictions = tuple(LayerPrediction(constants.layer_ms(demand, capability), demand) for demand in demands)
    total = sum(layer.ms for layer in predictions)
    prediction = Prediction(device, distance, predictions, total, constants)
    return replace(prediction, notes=_notes(prediction))


def is_power_capped(device: Device, distance: str) -> bool:
    """Whether a power limit keeps the part below its peaks by an unknown amount: neither is its base clock known nor
    does an engine of the same GPU show it.
    """
    return bool(device.power_note) and device.base_clock_ghz is None and distance != SAME_GPU


def _notes(prediction: Prediction) -> tuple[Note, ...]:
    device = prediction.device
    notes = []
    if (unknown := prediction.unknown_work) is not None:
        notes.append(unknown.note)
    unjudged = prediction.unjudged
    if sum(unjudged.values()) >= NOTED_SHARE:
        message = f"{unjudged_words(unjudged)}; the error bar is wider for it"
        hint = "measure one engine of this model: trex validate ENGINE --onnx MODEL compares it"
        notes.append(Note("time-of-unjudged-work", message, hint, severity="info"))
    if is_power_capped(device, prediction.distance):
        message = f"{device.name}: {device.power_note}; times are predicted for its published clock"
        notes.append(Note("time-at-full-clock", message, "measure one engine on the device", severity="info"))
    clock = matrix_clock_ghz(device)
    if clock is not None and clock != device.clock_ghz:
        message = f"{device.name}: {device.power_note or 'held to its power limit'}; predicted at {clock:.2g} GHz"
        notes.append(Note("time-at-held-clock", message, "measure one engine on the device", severity="info"))
    return tuple(notes)


PROFILER_SHARE = "profiler share"
LEAST_MS = 0.0025
"""Shortest time from kernel to kernel: 2 µs for the shortest kernel, and half a microsecond between two."""
STREAM_GAP_MS = 0.0004
"""Extra time between two kernels of a stream compared with a graph: 3.8 and 3.4 µs for kernels of 2.9 µs (Gray, Getting
Started with CUDA Graphs, NVIDIA developer blog, 2019)."""
LAUNCH_ON_HOST_MS = 0.0028
"""To enqueue one kernel: 2.6 to 3.5 µs in logs of trtexec 8.4 to 10.16 with about ten kernels on three GPUs."""
GRAPH_BASE_MS, GRAPH_EACH_MS = 0.001, 0.00012
"""To launch a graph, plus each of its kernels: 1.5 µs with 14 layers to 12 µs with 72 in twelve real runs."""
POWER_CAPPED = 1.25
"""Our choice: how much longer an inference may be if a power limit lowers the clock by an unknown amount."""


@dataclass(frozen=True, slots=True)
class Inference:
    """All in milliseconds. compute_ms with low_ms and high_ms: GPU compute of one inference. enqueue_ms: on the host.
    validated_engines: number of real engines behind low_ms and high_ms, 0 if there are none. unjudged: share of the
    time in each kind of work that no measured engine has judged. unknown_work: what is a lower bound, None if nothing.
    """

    compute_ms: float
    low_ms: float
    high_ms: float
    enqueue_ms: float
    validated_engines: int
    unjudged: Mapping[str, float] = field(default_factory=dict)
    unknown_work: UnknownWork | None = None

    @property
    def unjudged_share(self) -> float:
        """Of the time, in work that no measured engine has judged, unknown work included."""
        return min(sum(self.unjudged.values()) + (self.unknown_work.share if self.unknown_work else 0.0), 1.0)


def inference_of(prediction: Prediction, *, cuda_graph: bool = True) -> Inference:
    """One query, without transfers between host and device."""
    device = prediction.device
    kernels = prediction.kernel_count
    enqueue = GRAPH_BASE_MS + GRAPH_EACH_MS * kernels if cuda_graph else LAUNCH_ON_HOST_MS * (kernels + 1)
    gap = 0.0 if cuda_graph else STREAM_GAP_MS * max(kernels - 1, 0)
    least = 0.0 if cuda_graph else enqueue
    compute = max(compute_ms(prediction) + gap, least)
    document, distance = prediction.constants.document, prediction.distance
    (low, high), engines = compute_interval(document, distance)
    if is_power_capped(device, distance):
        high *= POWER_CAPPED
    unjudged = prediction.unjudged
    unknown_work = prediction.unknown_work
    share, unknown = sum(unjudged.values()), 0.0 if unknown_work is None else unknown_work.share
    judged = 1 - share - unknown
    unknown_low, unknown_high = unknown_work_interval(document, distance)
    return Inference(
        compute,
        max(compute * (judged * low + share * UNJUDGED[0] + unknown * unknown_low), least),
        max(compute * (judged * high + share * UNJUDGED[1] + unknown * unknown_high), least),
        enqueue,
        engines,
        unjudged,
        unknown_work,
    )


def compute_ms(prediction: Prediction) -> float:
    """GPU compute of a CUDA graph: the kernels' times without the profiler's part."""
    each_ms = profiler_ms(prediction.constants, prediction.device.compute_capability or (0, 0))
    return without_profiler((layer.ms for layer in prediction.layers if layer.is_kernel), each_ms)


def profiler_ms(constants: Constants, capability: tuple[int, int]) -> float:
    """What the profiler adds to every kernel."""
    share = constants.values.get(profiler_share_name(capability), constants.values.get(PROFILER_SHARE, 0.0))
    return share * constants.launch_ms(capability)


def without_profiler(kernels_ms: Iterable[float], each_ms: float) -> float:
    """Σ of the kernels' times without the profiler's part of each."""
    return sum(max(ms - each_ms, min(ms, LEAST_MS)) for ms in kernels_ms)


def profiler_share_name(capability: tuple[int, int]) -> str:
    """Name of the profiler share of one compute capability."""
    return f"{PROFILER_SHARE} of {capability[0]}.{capability[1]}"
