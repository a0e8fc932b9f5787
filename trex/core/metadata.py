"""Metadata: facts about the model, the build, the run and the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from trex.core.format_timing import FormatTiming
from trex.core.note import Note
from trex.core.tactic_trial import TacticTrial


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """One line of trtexec's performance summary, in milliseconds.

    percentiles: {99.0: 0.88}, label to value. Older files have percentiles without labels, which are read as trtexec's
    default; a Note says so.
    """

    minimum_ms: float | None
    maximum_ms: float | None
    mean_ms: float | None
    median_ms: float | None
    percentiles: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Metadata:
    """Facts apart from the graph. Every mapping keeps the file's own keys and values verbatim; empty if not reported.

    latency: the statistics of the performance summary, keyed as trtexec prints them (``GPU Compute Time``).
    tensorrt_version: ``10.16.0``, "" if unknown. synthetic: for data made by a script. simulated: for predicted data.
    built_on_cpu: for a real engine, built without a GPU, with predicted times.
    memory: bytes that the engine takes according to TensorRT, {``activation_bytes``: 125440}; see ``MemoryLines`` of
    the log readers. milestones: figures that a log prints during the run, {``engine_built_s``: 15.1}, with units as
    the endings of their names. trials: how the tactics in a verbose build log compared; format_timings: the fastest of
    each layer in each combination of types. extra: all other sections and keys.
    """

    model_options: Mapping[str, Any] = field(default_factory=dict)
    build_options: Mapping[str, Any] = field(default_factory=dict)
    system_options: Mapping[str, Any] = field(default_factory=dict)
    inference_options: Mapping[str, Any] = field(default_factory=dict)
    reporting_options: Mapping[str, Any] = field(default_factory=dict)
    device: Mapping[str, Any] = field(default_factory=dict)
    performance: Mapping[str, Any] = field(default_factory=dict)
    latency: Mapping[str, LatencySummary] = field(default_factory=dict)
    tensorrt_version: str = ""
    command_line: str = ""
    synthetic: bool = False
    simulated: bool = False
    built_on_cpu: bool = False
    sources: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)
    milestones: Mapping[str, float] = field(default_factory=dict)
    trials: tuple[TacticTrial, ...] = ()
    format_timings: tuple[FormatTiming, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not any(
            (
                self.model_options,
                self.build_options,
                self.inference_options,
                self.device,
                self.performance,
                self.tensorrt_version,
            )
        )

    def merged(self, other: Metadata) -> Metadata:
        """This metadata completed by ``other``; if both have a fact, this one's stays.

        Performance and inference options are of one run: none of them is completed by another's.
        """
        is_run = bool(self.performance or self.latency)
        shown = other if not is_run and (other.performance or other.latency) else self
        merged: dict[str, Any] = {}
        for name in (entry.name for entry in fields(self)):
            own, more = getattr(self, name), getattr(other, name)
            if name in ("performance", "latency"):
                merged[name] = getattr(shown, name)
            elif name == "inference_options":
                merged[name] = more if shown is other else own or more
            elif isinstance(own, Mapping):
                merged[name] = {**more, **own}
            else:
                merged[name] = (*own, *more) if name in ("sources", "notes") else own or more
        return Metadata(**merged)
