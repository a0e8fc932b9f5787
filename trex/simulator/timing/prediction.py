"""Layers, their works and a device → Prediction: milliseconds of every layer and of all, each with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.core.note import Note
from trex.perf.device import Device
from trex.perf.work.plan_works import work_of
from trex.perf.work.work import Work
from trex.simulator.timing.constants import Constants, fitted
from trex.simulator.timing.demand import Demand, demands_of
from trex.simulator.timing.intervals import (
    SAME_GPU,
    TOTAL,
    Interval,
    distance_between,
    fitted_devices,
    interval,
    layer_interval,
)
from trex.simulator.timing.time_kinds import HOST, NOTHING

LAUNCH_RANGE = (0.65, 1.6)
"""Factors on the launch of a GPU that no engine tells of: the shortest kernels took 3.1 µs on an RTX 6000 Ada, 4.1 on
an A10, a TITAN RTX and a laptop's RTX 3060, and 7.2 on an A100, where all of the fit share 4.8."""
HELD_BACK = 1.25
"""Our choice: how much longer sums may be where a power limit lowers the clock and no engine tells by how much."""


@frozen
class LayerPrediction:
    """ms: as TensorRT's profiler would tell it. low_ms, high_ms: eight of ten layers like it lie between. demand: what
    it was computed from. reason: why the interval is wide, "" where it is not.
    """

    ms: float
    low_ms: float
    high_ms: float
    demand: Demand
    reason: str = ""

    @property
    def is_kernel(self) -> bool:
        return self.demand.kind not in (NOTHING, HOST)


@dataclass(frozen=True)
class Prediction:
    """device: as given. distance: from the devices behind the constants, one of ``distance.DISTANCES``. layers: one per
    layer, in their order. total_ms: their sum; low_ms, high_ms: between which the sums of all engines judged at this
    distance lie; work that is not told and engines of many short kernels widen them.
    """

    device: Device
    distance: str
    layers: tuple[LayerPrediction, ...]
    total_ms: float
    low_ms: float
    high_ms: float
    constants: Constants
    notes: tuple[Note, ...] = ()

    @property
    def kernel_count(self) -> int:
        return sum(each.is_kernel for each in self.layers)


def predict(
    layers: Sequence[Layer], device: Device, works: Sequence[Work] | None = None, constants: Constants | None = None
) -> Prediction:
    """The times of layers that run one after the other.

    works: one per layer; by default what the layers' own records tell. constants: by default those of the package.
    Raises TrexError for a device whose memory bandwidth, clock, SMs or rates are not known, and ValueError when there
    are not as many works as layers.
    """
    constants = constants or fitted()
    works = [work_of(layer) for layer in layers] if works is None else works
    if len(works) != len(layers):
        raise ValueError(f"{len(works)} works for {len(layers)} layers")
    demands = demands_of(layers, works, device)
    capability = device.compute_capability or (0, 0)
    distance = distance_between(device, fitted_devices(constants.document))
    made = []
    intervals: dict[tuple[str, bool], tuple[Interval, str]] = {}
    for demand in demands:
        ms = constants.layer_ms(demand, capability)
        if demand.kind in (NOTHING, HOST):
            made.append(LayerPrediction(ms, ms, ms, demand))
            continue
        key = (demand.kind, demand.is_known)
        if key not in intervals:
            intervals[key] = layer_interval(constants.document, distance, *key)
        (low, high), reason = intervals[key]
        made.append(LayerPrediction(ms, ms * low, ms * high, demand, reason))
    low_ms, high_ms = _sums(made, interval(constants.document, TOTAL, distance))
    total = sum(each.ms for each in made)
    if distance != SAME_GPU:
        launches = constants.launch_ms(capability) * sum(each.is_kernel for each in made)
        low_ms = min(low_ms, total - (1 - LAUNCH_RANGE[0]) * launches)
        high_ms = max(high_ms, total + (LAUNCH_RANGE[1] - 1) * launches)
    if is_held_back(device, distance):
        high_ms *= HELD_BACK
    return Prediction(
        device, distance, tuple(made), total, low_ms, high_ms, constants, _notes(made, total, device, distance)
    )


def _sums(made: Sequence[LayerPrediction], factors: Interval) -> tuple[float, float]:
    """Errors of known layers cancel out in part, so their sum has its own interval; those of unknown ones may not."""
    known = sum(each.ms for each in made if each.demand.is_known)
    low = known * factors[0] + sum(each.low_ms for each in made if not each.demand.is_known)
    high = known * factors[1] + sum(each.high_ms for each in made if not each.demand.is_known)
    return low, high


def is_held_back(device: Device, distance: str) -> bool:
    """Whether the part's power holds it below its peaks and no engine of the same GPU tells by how much."""
    return bool(device.power_note) and distance != SAME_GPU


def _notes(made: Sequence[LayerPrediction], total: float, device: Device, distance: str) -> tuple[Note, ...]:
    notes = []
    untold = [each for each in made if not each.demand.is_known]
    if untold:
        share = sum(each.ms for each in untold) / total if total else 0.0
        told = (
            f"{counted(len(untold), 'layer')} of {len(made):,} do not tell their products or bytes ({share:.0%} of the "
            "predicted time): their times are the least that their tensors take, and may be many times longer"
        )
        notes.append(Note("time-of-untold-work", told, "the ONNX model tells more than the engine's own records"))
    if is_held_back(device, distance):
        told = f"{device.name}: {device.power_note}; times are predicted for its published clock"
        notes.append(Note("time-at-full-clock", told, "measure one engine on the device", severity="info"))
    return tuple(notes)
