"""Layers, their works and a device → Prediction: milliseconds of every layer and in total, each with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.core.counted import counted
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
"""Factors on the launch of a GPU without engines in the fit: the shortest kernels took 3.1 µs on an RTX 6000 Ada,
4.1 µs on an A10, a TITAN RTX and a laptop's RTX 3060, and 7.2 µs on an A100; the fit's common value is 4.8 µs."""
POWER_CAPPED = 1.25
"""Our choice: how much longer sums may be if a power limit lowers the clock by an unknown amount."""


@dataclass(frozen=True, slots=True)
class LayerPrediction:
    """ms: as TensorRT's profiler would measure it. low_ms, high_ms: eight of ten similar layers lie between. demand:
    the input of the prediction. reason: why the interval is wide, "" if it is not.
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
    """device: as given. distance: from the devices of the fit, one of ``intervals.DISTANCES``. layers: one per layer,
    in their order. total_ms: their sum; low_ms, high_ms: the sums of all validated engines at this distance lie
    between; layers of unknown work and engines of many short kernels widen them.
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
    demands = demands_of(layers, works, device)
    capability = device.compute_capability or (0, 0)
    distance = distance_between(device, fitted_devices(constants.document))
    predictions = []
    intervals: dict[tuple[str, bool], tuple[Interval, str]] = {}
    for demand in demands:
        ms = constants.layer_ms(demand, capability)
        if demand.kind in (NOTHING, HOST):
            predictions.append(LayerPrediction(ms, ms, ms, demand))
            continue
        key = (demand.kind, demand.is_known)
        if key not in intervals:
            intervals[key] = layer_interval(constants.document, distance, *key)
        (low, high), reason = intervals[key]
        predictions.append(LayerPrediction(ms, ms * low, ms * high, demand, reason))
    low_ms, high_ms = _sums(predictions, interval(constants.document, TOTAL, distance))
    total = sum(layer.ms for layer in predictions)
    if distance != SAME_GPU:
        launches = constants.launch_ms(capability) * sum(layer.is_kernel for layer in predictions)
        low_ms = min(low_ms, total - (1 - LAUNCH_RANGE[0]) * launches)
        high_ms = max(high_ms, total + (LAUNCH_RANGE[1] - 1) * launches)
    if is_power_capped(device, distance):
        high_ms *= POWER_CAPPED
    return Prediction(
        device,
        distance,
        tuple(predictions),
        total,
        low_ms,
        high_ms,
        constants,
        _notes(predictions, total, device, distance),
    )


def _sums(predictions: Sequence[LayerPrediction], factors: Interval) -> tuple[float, float]:
    """Errors of known layers partly cancel, so their sum has its own interval; those of unknown layers may not."""
    known = sum(layer.ms for layer in predictions if layer.demand.is_known)
    low = known * factors[0] + sum(layer.low_ms for layer in predictions if not layer.demand.is_known)
    high = known * factors[1] + sum(layer.high_ms for layer in predictions if not layer.demand.is_known)
    return low, high


def is_power_capped(device: Device, distance: str) -> bool:
    """Whether a power limit keeps the part below its peaks and no engine of the same GPU shows by how much."""
    return bool(device.power_note) and distance != SAME_GPU


def _notes(predictions: Sequence[LayerPrediction], total: float, device: Device, distance: str) -> tuple[Note, ...]:
    notes = []
    unknown = [layer for layer in predictions if not layer.demand.is_known]
    if unknown:
        share = sum(layer.ms for layer in unknown) / total if total else 0.0
        message = (
            f"{counted(len(unknown), 'layer')} of {len(predictions):,} of unknown work ({share:.0%} of the predicted "
            "time): their times are lower bounds from their tensors, and may be many times longer"
        )
        notes.append(Note("time-of-untold-work", message, "load the plan with its ONNX model"))
    if is_power_capped(device, distance):
        message = f"{device.name}: {device.power_note}; times are predicted for its published clock"
        notes.append(Note("time-at-full-clock", message, "measure one engine on the device", severity="info"))
    return tuple(notes)
