"""Layers, their works and a device → Prediction: milliseconds of every layer."""

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
from trex.simulator.timing.intervals import SAME_GPU, distance_between, fitted_devices
from trex.simulator.timing.time_kinds import HOST, NOTHING


@dataclass(frozen=True, slots=True)
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
    predictions = tuple(LayerPrediction(constants.layer_ms(demand, capability), demand) for demand in demands)
    total = sum(layer.ms for layer in predictions)
    return Prediction(device, distance, predictions, total, constants, _notes(predictions, total, device, distance))


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
