"""EnginePlan → EnginePlan without names: what may be published when the model may not.

Layers become ``layer 12``, tensors ``tensor 7``, bindings ``input 1``, modules ``module 3``, types of plugins ``type
1``; in kernels' names, what is no known word becomes ``x``. Names of ONNX nodes, files and paths, command lines and
serial numbers are left out. What stays: TensorRT's own types, shapes, formats, kernels and attributes, times, and the
GPU. Shapes alone may identify a well-known model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trex.core.configuration import LintConfiguration
from trex.core.engine import Engine
from trex.core.layer import Layer, NameParts, Weights
from trex.core.metadata import Metadata
from trex.core.name_globs import matcher
from trex.core.note import Note
from trex.core.tensor import Binding, Tensor
from trex.core.timings import MARKS, LayerTime, LayerTimes
from trex.ingest.config_toml import NAMES
from trex.perf.expected import KEYS, expected_ms, is_predicted, unjudged_shares, unknown_work, validated_engines
from trex.perf.performance import Performance
from trex.perf.work.plan_works import own_works_of
from trex.perf.work.work import Work
from trex.plan.engine_plan import EnginePlan
from trex.plan.unknown_work import KEY, unknown_work_record
from trex.views.hashed_words import HashedWords
from trex.views.kept_words import is_known_type, kept_attribute, kept_format, kept_tactic, kept_tokens

TITLE = "redacted engine"
REDACTED = Note(
    "names-redacted",
    "rules that go by names may have other findings and savings here than for the engine",
    "trex lint ENGINE",
)
_LOCATIONS = ("Device", "Host")
# It may quote a kernel, or name a neighbor.
_EVIDENCE = "left out"
# Options whose names are made of these words are switches, numbers or TensorRT's own words.
_KEPT_OPTIONS = frozenset({
    "Precision", "Max", "batch", "Memory", "Pools", "Sparsity", "Safe", "mode", "Calibration", "Refit", "Build",
    "only", "Profiling", "verbosity", "Tactic", "sources", "Format", "Batch", "Iterations", "Duration", "Warm-up",
    "Streams", "Multithreading", "CUDA", "Graph", "Capture", "Separate", "profiling", "Time", "Deserialize", "Skip",
    "inference", "Spin-wait", "Sleep", "time", "Idle", "Data", "transfers", "ExposeDMA", "TF32", "Builder",
    "optimization", "level", "Optimization", "Level", "Hardware", "Compatibility", "Version", "Compatible",
    "Strongly", "Typed",
})  # fmt: skip
_SECRET = re.compile(r"[/\\]|uuid|serial|GPU-[0-9a-f]|\.(?:onnx|engine|plan|json|trt)\b", re.IGNORECASE)


def redacted(plan: EnginePlan) -> EnginePlan:
    """The same plan without names. The plan given is not changed; what it caches is not carried over."""
    names = _Names(plan.whole_engine)
    result = plan.uncached()
    result.name = TITLE
    result.files = None
    result.whole_engine = names.engine(plan.whole_engine)
    result.engine = names.engine(plan.engine)
    result.working_layers = tuple(map(names.layer, plan.working_layers))
    result.times = tuple(names.time(time, layer) for time, layer in zip(plan.times, plan.working_layers, strict=True))
    result.all_times = tuple(
        names.time(time, layer) for time, layer in zip(plan.all_times, plan.engine.layers, strict=True)
    )
    if plan.layer_times is not None:
        known = tuple(time for time in result.all_times if time is not None)
        result.layer_times = LayerTimes(known, plan.layer_times.count, marks=plan.layer_times.marks)
    if plan.join is not None:
        result.join = replace(plan.join, times=result.all_times, unmatched=(), other_profiles=(), notes=())
    if plan.query_times is not None:
        result.query_times = replace(plan.query_times, source="", notes=())
    result.metadata = replace(_metadata(plan.metadata), extra=_prediction(plan))
    result.build_metadata = _metadata(plan.build_metadata)
    if plan.telemetry is not None:
        result.telemetry = replace(plan.telemetry, gpu={}, source="", notes=())
    if hasattr(result, "model"):
        result.model = None
    result.notes = (*map(_note, plan.notes), REDACTED)
    result.works = tuple(map(_work, Performance(plan).works, own_works_of(result)))
    return result


def redacted_settings(configuration: LintConfiguration, plan: EnginePlan) -> LintConfiguration:
    """Lint's configuration for ``redacted(plan)``: suppressions cover the layers that they cover in the plan given.

    Reasons and names are left out. A suppression that matches no layer of the plan still matches none.
    """
    name = configuration.file_name if configuration.file_name in NAMES else "a file"
    suppressions = []
    for suppression in configuration.settings.suppressions:
        layers = suppression.layers
        if "*" not in layers:
            covers = matcher(layers)
            layers = tuple(f"layer {layer.index}" for layer in plan.working_layers if covers(layer.name)) or ("",)
        suppressions.append(replace(suppression, layers=layers, reason="redacted", where=name))
    settings = replace(configuration.settings, suppressions=tuple(suppressions))
    return replace(configuration, settings=settings, where=name if configuration.where else "")


class _Names:
    """One new name for each old one, the same wherever it stands."""

    def __init__(self, engine: Engine) -> None:
        self.tensors: dict[str, str] = {}
        self.modules: dict[tuple[str, str], str] = {}
        self.nodes: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.kernels: dict[str, str] = {}
        self.kept_kernels: dict[str, int] = {}
        counts = {True: 0, False: 0, None: 0}
        words = {True: "input", False: "output", None: "binding"}
        for binding in engine.bindings:
            counts[binding.is_input] += 1
            self.tensors.setdefault(binding.name, f"{words[binding.is_input]} {counts[binding.is_input]}")

    def engine(self, engine: Engine) -> Engine:
        return replace(
            engine,
            layers=tuple(map(self.layer, engine.layers)),
            bindings=tuple(map(self.binding, engine.bindings)),
            name=TITLE,
            source="",
            notes=tuple(map(_note, engine.notes)),
            extra={mark: True for mark in ("Synthetic", "Simulated", "BuiltOnCPU") if mark in engine.extra},
        )

    def layer(self, layer: Layer) -> Layer:
        inputs, outputs = tuple(map(self.tensor, layer.inputs)), tuple(map(self.tensor, layer.outputs))
        parts = layer.name_parts
        return replace(
            layer,
            name=f"layer {layer.index}",
            occurrence=0,
            type=self.type(layer.type),
            subtype=self.type(layer.subtype),
            inputs=inputs,
            outputs=outputs,
            compute=replace(layer.compute, evidence=_EVIDENCE),
            tactic=self.tactic(layer.tactic),
            weights=tuple(map(self.weights, layer.weights)),
            origins=tuple(self.nodes.setdefault(origin, f"node {len(self.nodes) + 1}") for origin in layer.origins),
            name_parts=NameParts((f"layer {layer.index}",), parts.fusion, "", kept_tokens(parts.tokens), parts.region),
            module=self.module(layer.module),
            raw=self.record(layer, inputs, outputs),
        )

    def record(self, layer: Layer, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> dict[str, Any]:
        result: dict[str, Any] = {"Name": f"layer {layer.index}"}
        for key, value in layer.raw.items():
            if key == "Inputs":
                result[key] = [tensor.raw for tensor in inputs]
            elif key == "Outputs":
                result[key] = [tensor.raw for tensor in outputs]
            elif key in ("LayerType", "ParameterType") and isinstance(value, str):
                result[key] = self.type(value)
            elif key == "TacticName" and isinstance(value, str):
                result[key] = self.tactic(value)
            elif (kept := kept_attribute(key, value)) is not None:
                result[key] = kept
        return result

    def type(self, name: str) -> str:
        """A type of TensorRT's stays; a plugin's becomes ``type 1``."""
        return name if not name or is_known_type(name) else self.types.setdefault(name, f"type {len(self.types) + 1}")

    def tactic(self, name: str) -> str:
        """A kernel's name without pieces that are no words of kernels; ``kernel 1`` if nothing is known. Kernels of
        different names keep different names.
        """
        if name and name not in self.kernels:
            kept = kept_tactic(name)
            if kept != name:
                number = self.kept_kernels[kept] = self.kept_kernels.get(kept, 0) + 1
                kept = f"kernel {number}" if not kept else kept if number == 1 else f"{kept}_x{number}"
            self.kernels[name] = kept
        return self.kernels.get(name, "")

    def tensor(self, tensor: Tensor) -> Tensor:
        name = self.tensor_name(tensor.name)
        raw: dict[str, Any] = {"Name": name}
        written, dims, location = map(tensor.raw.get, ("Format/Datatype", "Dimensions", "Location"))
        if location in _LOCATIONS:
            raw["Location"] = location
        if isinstance(dims, list) and all(isinstance(dim, int) for dim in dims):
            raw["Dimensions"] = dims
        if isinstance(written, str) and kept_format(written):
            raw["Format/Datatype"] = written
        return replace(
            tensor,
            name=name,
            format=replace(tensor.format, text=kept_format(tensor.format.text)),
            location=tensor.location if tensor.location in _LOCATIONS else "",
            raw=raw,
        )

    def tensor_name(self, name: str) -> str:
        return self.tensors.setdefault(name, f"tensor {len(self.tensors) + 1}") if name else ""

    def weights(self, weights: Weights) -> Weights:
        return replace(weights, name=self.tensor_name(weights.name))

    def module(self, module: str) -> str:
        results, above = [], ""
        for step in module.split("/"):
            if step:  # in the module above it, whose new name is its own: a whole path per step is the square of it
                above = self.modules.setdefault((above, step), f"module {len(self.modules) + 1}")
            results.append(above if step else "")
        return "/".join(results)

    def binding(self, binding: Binding) -> Binding:
        tensor = None if binding.tensor is None else self.tensor(binding.tensor)
        return replace(binding, name=self.tensor_name(binding.name), tensor=tensor)

    def time(self, time: LayerTime | None, layer: Layer) -> LayerTime | None:
        return None if time is None else replace(time, name=f"layer {layer.index}", occurrence=0, extra={})


def _work(known: Work, own: Work) -> Work:
    """The numbers of a layer's work, counted with its names and the model, in the redacted layer's words.

    own: of the redacted layer.
    """
    is_same = (known.kind, known.formula) == (own.kind, own.formula)
    is_sure = known.confidence == 1.0
    return replace(known, terms=own.terms if is_same else (), reason="" if is_sure else own.reason)


def _prediction(plan: EnginePlan) -> dict[str, Any]:
    """The error bar of a prediction and the work that it does not know, as the files contain them; {} without one."""
    if not is_predicted(plan):
        return {}
    words = HashedWords()
    unjudged: dict[str, float] = {}
    for kind, share in unjudged_shares(plan).items():
        kept = kind if words.text(kind) == kind else "other work"
        unjudged[kept] = unjudged.get(kept, 0.0) + share
    section: dict[str, Any] = {
        "validated_engines": validated_engines(plan),
        "unjudged": unjudged,
        KEY: unknown_work_record(unknown_work(plan)),
    }
    return {MARKS[0]: section | dict(zip(KEYS, expected_ms(plan) or ()))}


def _metadata(metadata: Metadata) -> Metadata:
    device = {key: value for key, value in metadata.device.items() if not _SECRET.search(f"{key} {value}")}
    return Metadata(
        build_options=_options(metadata.build_options),
        inference_options=_options(metadata.inference_options),
        device=device,
        performance=metadata.performance,
        latency=metadata.latency,
        tensorrt_version=metadata.tensorrt_version,
        synthetic=metadata.synthetic,
        simulated=metadata.simulated,
        built_on_cpu=metadata.built_on_cpu,
        notes=tuple(map(_note, metadata.notes)),
    )


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are switches, numbers and words that a bundle keeps, too."""
    words = HashedWords()
    return {
        key: value
        for key, value in options.items()
        if all(word in _KEPT_OPTIONS for word in key.split())
        and not _SECRET.search(str(value))
        and words.text(str(value)) == str(value)
    }


def _note(note: Note) -> Note:
    """The Note without its words, which may hold names."""
    return Note(note.code, "left out: its text may contain names", f"trex explain {note.code}", "", note.severity)
