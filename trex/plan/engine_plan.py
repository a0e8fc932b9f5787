"""EnginePlan: an engine with its times, metadata and DataFrame."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.device_facts import DeviceFacts
from trex.core.engine import Engine
from trex.core.layer import JUMPS, Layer
from trex.core.metadata import Metadata
from trex.core.model import Model
from trex.core.note import Note
from trex.core.provenance import COLUMN, STATEMENT, Provenance
from trex.core.shape import is_static
from trex.core.telemetry import Telemetry
from trex.core.tensor import Tensor
from trex.core.timings import MARKS, LayerTime, LayerTimes, QueryTimes
from trex.ingest.artifacts import Artifacts
from trex.ingest.differing_facts import OTHER_SHAPE, other_shapes
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.graph_contradictions import UNCONNECTED
from trex.ingest.spelling.device_facts import device_facts
from trex.ingest.spelling.shape_options import run_shapes
from trex.plan.build_contradictions import other_build_time
from trex.plan.dynamic_shapes import at_shapes, input_shapes
from trex.plan.execution_order import out_of_order
from trex.plan.folding import working_layers
from trex.plan.implicit_batch import UNKNOWN_BATCH, with_batch
from trex.plan.join import Join, join_times
from trex.plan.kernel_contradictions import other_gpu, other_precision, other_target
from trex.plan.kernels import is_chosen_late
from trex.plan.layer_statistics import known_sum, slow_iterations, wrong_medians
from trex.plan.memory import activation_bytes, weights_bytes
from trex.plan.optimization_profile import one_profile
from trex.plan.profile_contradictions import not_measured
from trex.plan.time_notes import OTHER_PROFILE
from trex.plan.time_units import contradictions
from trex.plan.unknown_work import unknown_work_notes

if TYPE_CHECKING:
    import pandas as pd

    from trex.plan.onnx_origins import OnnxOrigins

Plan = TypeVar("Plan", bound="EnginePlan")


class EnginePlan:
    """An engine with its measured times and its metadata.

    engine: all layers of one optimization profile; if their shapes leave the batch out, with it (``implicit_batch``).
    working_layers: those that do work, with folded NoOps and rewired neighbors; one row of ``df`` each. times: their
    profile records, None if not profiled. model: the ONNX model that the engine was built from, at the shapes of the
    engine's inputs; None if it was not passed. files: where it was read from; None if from no file. works: the Work of
    each of ``working_layers``, where they no longer have what it was counted from (a redacted plan); None otherwise.
    Raises TrexError if the engine has no profile ``profile_id``, or if the times are of another engine.
    """

    files: EngineFiles | None = None
    works: tuple[Any, ...] | None = None

    def __init__(
        self,
        engine: Engine,
        layer_times: LayerTimes | None = None,
        query_times: QueryTimes | None = None,
        metadata: Metadata | None = None,
        build_metadata: Metadata | None = None,
        name: str | None = None,
        profile_id: int | None = None,
        notes: tuple[Note, ...] = (),
        telemetry: Telemetry | None = None,
        onnx_file: str | os.PathLike[str] | None = None,
    ) -> None:
        self.metadata = metadata or Metadata()
        self.build_metadata = build_metadata or Metadata()
        self.name = name or engine.name or engine.source
        engine, batch_notes = with_batch(engine, self.metadata, self.build_metadata)
        self.whole_engine = engine
        self.engine, profile_notes = one_profile(engine, profile_id, metadata, layer_times)
        if any(note.code == OTHER_PROFILE for note in profile_notes):
            layer_times = None
        self.layer_times = layer_times
        self.query_times = query_times
        self.telemetry = telemetry
        self.join: Join | None = None
        all_times: tuple[LayerTime | None, ...] = (None,) * len(self.engine.layers)
        if layer_times is not None:
            self.join = join_times(self.engine.layers, layer_times, where=layer_times.source)
            all_times = self.join.times
            if self.join.other_profiles:  # percentages are of all profiles together
                all_times = tuple(time and replace(time, share_pct=None) for time in all_times)
        self.all_times = all_times
        self.working_layers, self.times = _working_layers(self.engine, all_times)
        self.model = None if onnx_file is None else _model_at(self.engine, onnx_file)
        contradicting = contradictions(
            layer_times and _of_profile(layer_times, self.join),
            query_times,
            self.metadata,
            _on_streams(self.working_layers, self.times),
            is_whole=None not in self.times,
        )
        kept = {note.code for note in notes if note.severity == "problem"}  # a baseline's, of its run
        self.notes = (
            *engine.notes,
            *batch_notes,
            *profile_notes,
            *(self.join.notes if self.join else ()),
            *(note for note in contradicting if note.code not in kept),
            *out_of_order(self.engine),
            *other_shapes(self.engine, self.metadata),
            *other_precision(self.engine, self.build_metadata),
            *(() if self.is_synthetic else other_gpu(self.engine, self.metadata)),
            *(() if self.is_synthetic else other_target(self.build_metadata, self.metadata)),
            *unknown_work_notes(self.metadata, self.build_metadata),
            *dict.fromkeys(chain(*map(other_build_time, (self.metadata, self.build_metadata)))),
            *slow_iterations(self.times, layer_times.source if layer_times else ""),
            *(
                not_measured(self.working_layers, self.times, layer_times.source)
                if layer_times and not self.has_jumps
                else ()
            ),
            *(wrong_medians(self.times, layer_times.count, layer_times.source) if layer_times else ()),
            *(layer_times.notes if layer_times else ()),
            *(query_times.notes if query_times else ()),
            *self.metadata.notes,
            *self.build_metadata.notes,
            *(telemetry.notes if telemetry else ()),
            *notes,
            *self._model_notes(),
        )

    @classmethod
    def from_artifacts(
        cls: type[Plan],
        artifacts: Artifacts,
        name: str | None = None,
        profile_id: int | None = None,
        onnx_file: str | os.PathLike[str] | None = None,
    ) -> Plan:
        """The plan of an engine's files. onnx_file: the path of the model."""
        plan = cls.__new__(cls)
        plan._read(artifacts, name, profile_id, onnx_file)
        return plan

    def _read(
        self,
        artifacts: Artifacts,
        name: str | None,
        profile_id: int | None,
        onnx_file: str | os.PathLike[str] | None = None,
    ) -> None:
        with collector_paused():
            EnginePlan.__init__(
                self,
                artifacts.engine,
                artifacts.layer_times,
                artifacts.query_times,
                artifacts.metadata,
                artifacts.build_metadata,
                name=name,
                profile_id=profile_id,
                notes=artifacts.notes,
                telemetry=artifacts.telemetry,
                onnx_file=onnx_file,
            )
        self.files = artifacts.files

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per working layer, in execution order. Changes to it have no effect on findings."""
        return self.new_frame()

    def new_frame(self) -> pd.DataFrame:
        """A new DataFrame without your changes."""
        from trex.plan.dataframe import build_frame  # imports pandas, which facts and graphs do not need

        frame = build_frame(self.working_layers, self.times)
        if self.provenance.has_predicted_times:
            frame.attrs |= {COLUMN: self.provenance.label, STATEMENT: self.statement}
        return frame

    def get_layers_by_type(self, layer_type: str) -> pd.DataFrame:
        """The rows of one type (or subtype) with their ``attr.*`` columns; empty if there are none."""
        from trex.plan.attributes import layers_by_type

        return layers_by_type(self.working_layers, self.times, self.df, layer_type)

    @cached_property
    def onnx_origins(self) -> OnnxOrigins | None:
        """The operators of the model that each of ``working_layers`` came from; None without a model."""
        if self.model is None:
            return None
        from trex.plan.onnx_origins import find_origins

        return find_origins(self.working_layers, self.model)

    def _model_notes(self) -> tuple[Note, ...]:
        origins = self.onnx_origins
        if self.model is None or origins is None:
            return ()
        from trex.plan.onnx_origins import origins_hint, origins_notes

        hint = "" if origins.named else origins_hint(self.working_layers, self.tensorrt_version)
        return (*self.model.notes, *origins_notes(origins, self.model, hint))

    @property
    def tensorrt_version(self) -> str:
        """Version of the TensorRT that built the engine, "" if unknown."""
        return (
            self.engine.tensorrt_version or self.build_metadata.tensorrt_version or self.metadata.tensorrt_version or ""
        )

    @property
    def milestones(self) -> dict[str, float]:
        """Figures that the logs print of the build and of the run (``engine_built_s``); those of the build win."""
        return {**self.metadata.milestones, **self.build_metadata.milestones}

    @property
    def is_for_rtx(self) -> bool:
        """Whether TensorRT for RTX built it, by its version or by kernels that are chosen on the user's GPU."""
        return self.tensorrt_version.startswith("for RTX") or any(map(is_chosen_late, self.engine.layers))

    @property
    def has_jumps(self) -> bool:
        """Whether a condition or a loop decides which layers run, and how often."""
        return any(layer.type in JUMPS for layer in self.engine.layers)

    @property
    def lacks_layers(self) -> bool:
        """Whether the graph lacks layers, by the tensors of the others or by the layer profile."""
        is_unconnected = any(note.code == UNCONNECTED for note in self.notes)
        return is_unconnected or (self.join is not None and self.join.lacks_layers)

    @property
    def bindings(self) -> list[str]:
        """Names of the engine's inputs and outputs, in file order."""
        return [binding.name for binding in self.engine.bindings]

    def binding_tensors(self) -> tuple[list[Tensor], list[Tensor]]:
        """(inputs, outputs) as tensors, in file order, without bindings that no layer mentions."""
        inputs: list[Tensor] = []
        outputs: list[Tensor] = []
        for binding in self.engine.bindings:
            if binding.tensor is not None and binding.is_input is not None:
                (inputs if binding.is_input else outputs).append(binding.tensor)
        return inputs, outputs

    def at_shapes(self: Plan, shapes: str | Mapping[str, Iterable[Any]]) -> Plan:
        """This plan with its dynamic dimensions evaluated.

        shapes: ``min``, ``opt`` or ``max`` of the optimization profile, or {input name: shape}. Dimensions that they do
        not determine stay unknown, with a Note. Times stay as measured, at the shapes of the run; if those are unknown
        or known to be others, with a Note. Raises TrexError if the shapes of a profile are unknown.
        """
        profile = self.engine.profiles[0] if self.engine.profiles else 0
        given: Mapping[str, Iterable[Any]] = (
            input_shapes(self.engine, shapes, profile) if isinstance(shapes, str) else shapes
        )
        engine, notes = at_shapes(self.engine, given)
        kept = [note for note in self._own_notes() if note.code not in ("dynamic-dimensions", UNKNOWN_BATCH)]
        plan = self.uncached()
        plan.engine, plan.works = engine, None
        plan.working_layers, plan.times = _working_layers(engine, self.all_times)
        is_known = any(note.code == OTHER_SHAPE for note in kept)
        ran = () if is_known else other_shapes(engine, self.metadata, is_evaluated=True)
        unknown = self._unknown_shapes(given)
        plan._replace_model(None if self.model is None else self.model.source, (*kept, *ran, *notes, *unknown))
        return plan

    def _unknown_shapes(self, given: Mapping[str, Iterable[Any]]) -> Iterator[Note]:
        """Where there are times of a run whose shapes of these dynamic inputs are unknown."""
        known, bindings = run_shapes(self.metadata), self.engine.binding_by_name
        tensors = {name: bindings[name].tensor for name in given if name not in known}
        names = [name for name, tensor in tensors.items() if tensor is not None and not is_static(tensor.shape)]
        if names and (self.layer_times or self.query_times or self.metadata.latency):
            message = f"the run's shape of {', '.join(map(repr, names[:4]))} is unknown: shares of what the GPU can do "
            hint = "keep the log or the metadata of the run next to the graph"
            yield Note("run-shape-unknown", f"{message}hold only if it ran at these shapes", hint, self.engine.source)

    def with_model(self: Plan, onnx_file: str | os.PathLike[str]) -> Plan:
        """This plan with the ONNX model that the engine was built from. Raises TrexError for other files."""
        plan = copy(self)
        plan._replace_model(onnx_file, self._own_notes())
        return plan

    def uncached(self: Plan) -> Plan:
        """A copy without what was computed on first use, whichever subclass computed it."""
        plan = copy(self)
        for name in list(plan.__dict__):
            if isinstance(getattr(type(plan), name, None), cached_property):
                del plan.__dict__[name]
        return plan

    def _own_notes(self) -> tuple[Note, ...]:
        """The notes without those on the model."""
        outdated = frozenset(self._model_notes())
        return tuple(note for note in self.notes if note not in outdated)

    def _replace_model(self, onnx_file: str | os.PathLike[str] | None, notes: tuple[Note, ...]) -> None:
        """notes: of the plan, without those on its present model."""
        self.__dict__.pop("onnx_origins", None)
        self.model = None if onnx_file is None else _model_at(self.engine, onnx_file)
        self.notes = (*notes, *self._model_notes())

    @property
    def profile(self) -> int | None:
        """Number of its optimization profile; None if the engine has only one."""
        return self.engine.profiles[0] if len(self.whole_engine.profiles) > 1 else None

    @property
    def profile_words(self) -> str:
        """``optimization profile 1 of 2``; "" if the engine has only one."""
        return (
            "" if self.profile is None else f"optimization profile {self.profile} of {len(self.whole_engine.profiles)}"
        )

    @property
    def is_profiled(self) -> bool:
        return self.layer_times is not None

    @property
    def provenance(self) -> Provenance:
        """Whether the data is measured, predicted (simulated, or built on a CPU) or synthetic (made up).

        An engine that was built on a CPU may have been measured since: then the files of its times have no mark.
        """
        sources = (self.metadata, self.build_metadata)
        marks = {mark for times in (self.layer_times, self.query_times) if times is not None for mark in times.marks}
        is_simulated, is_predicted = (mark in marks for mark in MARKS)
        if is_simulated or "Simulated" in self.engine.extra or any(metadata.simulated for metadata in sources):
            return Provenance.SIMULATED
        is_built_on_cpu = "BuiltOnCPU" in self.engine.extra or self.build_metadata.built_on_cpu
        if is_predicted or self.metadata.built_on_cpu or (is_built_on_cpu and not self._has_times):
            return Provenance.BUILT_ON_CPU
        if "Synthetic" in self.engine.extra or any(metadata.synthetic for metadata in sources):
            return Provenance.SYNTHETIC
        return Provenance.MEASURED

    @property
    def _has_times(self) -> bool:
        run = self.metadata
        return bool(self.layer_times or self.query_times or run.latency or run.performance)

    @property
    def statement(self) -> str:
        """The sentence on its provenance that every view shows, with the builder's release if known; "" if measured."""
        return self.provenance.stated(self.tensorrt_version)

    @property
    def is_synthetic(self) -> bool:
        """Whether nothing was measured."""
        return self.provenance is not Provenance.MEASURED

    @cached_property
    def layer_ms(self) -> tuple[float | None, ...]:
        """Milliseconds of each of ``working_layers``: by ``LayerTime.ms``, or averages where a layer has no median.

        None if unknown. What prices, shares, roofline and comparison use; ``df["latency.avg_time"]`` and
        ``total_runtime`` average.
        """
        by_average = self.statistic == "average"
        times = (None if time is None else (by_average and time.average_ms) or time.ms for time in self.times)
        return tuple(None if ms is None or not math.isfinite(ms) else ms for ms in times)

    @cached_property
    def layers_ms(self) -> float:
        """Sum of the known ``layer_ms``; NaN without any."""
        return known_sum(self.layer_ms)

    @cached_property
    def statistic(self) -> str:
        """What ``layer_ms`` are: ``median``, or ``average`` if a layer has no median."""
        timed = [time for time in self.times if time is not None and time.ms is not None]
        return "median" if timed and all(time.median_ms is not None for time in timed) else "average"

    def by_averages(self: Plan, *notes: Note) -> Plan:
        """This plan with the layers' averages in place of their medians. notes: that say why."""
        plan = self.uncached()
        plan.all_times = _without_medians(self.all_times)
        plan.times = _without_medians(self.times)
        plan.notes = (*self.notes, *notes)
        return plan

    @cached_property
    def total_runtime(self) -> float:
        """Sum of the layers' average times in milliseconds; NaN without a profile.

        It exceeds the engine's latency: profiling adds overhead, and layers of several streams overlap.
        """
        return known_sum(None if time is None else time.average_ms for time in self.times)

    @cached_property
    def total_act_size(self) -> float:
        """Bytes of all distinct activations of known size, NaN without any; see ``unknown_sizes``."""
        return activation_bytes(self.engine).total if self.engine.layers else float("nan")

    @cached_property
    def total_weights_size(self) -> float:
        """Bytes of all weights, biases and constants of known size, NaN without any; see ``unknown_sizes``."""
        return weights_bytes(self.engine).total if self.engine.layers else float("nan")

    @property
    def unknown_sizes(self) -> dict[str, int]:
        """Numbers of activations and weights of unknown size, which the totals omit."""
        return {
            "activations": activation_bytes(self.engine).unknown_count,
            "weights": weights_bytes(self.engine).unknown_count,
        }

    @property
    def device_properties(self) -> Mapping[str, Any]:
        return self.metadata.device or self.build_metadata.device

    @property
    def device_facts(self) -> DeviceFacts:
        """Device in the run's metadata, otherwise in the build's, typed and in fixed units."""
        return device_facts(self.device_properties)

    @property
    def build_device_facts(self) -> DeviceFacts:
        """Device on which the engine was built, from the build's metadata."""
        return device_facts(self.build_metadata.device)

    @property
    def performance_summary(self) -> Mapping[str, Any]:
        return self.metadata.performance

    @property
    def builder_cfg(self) -> dict[str, Any]:
        """Model and build options together."""
        return {**self.build_metadata.model_options, **self.build_metadata.build_options}

    def __repr__(self) -> str:
        provenance = f", {self.provenance.label}" if self.provenance.has_predicted_times else ""
        return f"{type(self).__name__}({self.name!r}, {counted(len(self.working_layers), 'layer')}{provenance})"


def _model_at(engine: Engine, onnx_file: str | os.PathLike[str]) -> Model:
    """The model at the shapes of the engine's inputs."""
    from trex.ingest.onnx_model import read_model
    from trex.plan.onnx_origins import input_shapes_of

    return read_model(onnx_file, input_shapes_of(engine), is_asked=False)


def _without_medians(times: Iterable[LayerTime | None]) -> tuple[LayerTime | None, ...]:
    return tuple(None if time is None else replace(time, median_ms=None) for time in times)


def _on_streams(layers: Iterable[Layer], times: Iterable[LayerTime | None]) -> tuple[list[float], ...]:
    """ms of the layers of each stream; () of fewer than two."""
    streams: dict[int, list[float]] = {}
    for layer, time in zip(layers, times):
        if layer.stream is not None and time is not None:
            streams.setdefault(layer.stream, []).append(time.ms or 0.0)
    return tuple(streams.values()) if len(streams) > 1 else ()


def _of_profile(layer_times: LayerTimes, join: Join | None) -> LayerTimes:
    """Without the records of other optimization profiles."""
    if join is None or not join.other_profiles:
        return layer_times
    others = set(map(id, join.other_profiles))
    own = (record for record in layer_times.records if id(record) not in others)
    return replace(layer_times, records=tuple(replace(record, share_pct=None) for record in own))


def _working_layers(
    engine: Engine, times: tuple[LayerTime | None, ...]
) -> tuple[tuple[Layer, ...], tuple[LayerTime | None, ...]]:
    time_of = {layer.index: time for layer, time in zip(engine.layers, times)}
    timed = {index for index, time in time_of.items() if time is not None and (time.ms or 0) > 0}
    rows = working_layers(engine, timed)
    return rows, tuple(time_of[layer.index] for layer in rows)
