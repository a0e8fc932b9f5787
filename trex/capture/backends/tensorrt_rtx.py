"""TensorRT for RTX: a real TensorRT that builds without GPU, driver or CUDA; the collector, in its own process.

Its builder leaves the choice of most kernels to the GPU at run time. All precisions are those of the ONNX model.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from trex.capture.backend import BUILD, PROFILE, TENSORRT_RTX, Backend, StageResult
from trex.capture.child import ChildResult
from trex.capture.collector_job import CollectorJob
from trex.capture.device_info import device_properties
from trex.capture.manifest import record_of
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import Watcher
from trex.capture.probe import is_installed
from trex.capture.tensorrt_api.cuda import has_driver
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.library import API_OF_RTX, RTX
from trex.capture.tensorrt_api.rtx import TARGETS, find_wheels
from trex.capture.trtexec.command_line import command_line
from trex.capture.trtexec.user_options import Receiver
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.printable import operand
from trex.core.release import release_from_text
from trex.core.scratch_folder import scratch_folder
from trex.core.whole_file import write_whole
from trex.perf.device import Device
from trex.perf.expected import unjudged_words
from trex.perf.recognize import find_device
from trex.simulator.version import simulator_version

_ALL = "all"
_BUILT = "BuiltOnCPU"
_PRECISIONS = {"fp16": "resnet18-fp16", "bf16": "", "int8": "resnet18-qat", "fp8": "", "int4": "", "best": ""}
"""{trtexec's option: an example network that is converted so, "" for none}"""

_OPTIONS = frozenset(
    (
        "memPoolSize", "builderOptimizationLevel", "maxAuxStreams", "maxTactics", "avgTiming", "allowWeightStreaming",
        "refit", "stripWeights", "noTF32", "sparsity", "shapes", "minShapes", "optShapes", "maxShapes", "profile",
        "profilingVerbosity", "verbose", "staticPlugins", "plugins", "stronglyTyped",
    )
)  # fmt: skip
_RUN_OPTIONS = frozenset(("device", "duration", "iterations", "loadInputs", "useProfile", "warmUp"))
_NO_GRAPH = "noCudaGraph"
_PORTABLE = TARGETS[2:]
"""What it builds for unless targets are named."""


@dataclass(frozen=True)
class RtxJob(CollectorJob):
    """A build on the CPU. The layers come from the builder's log: loading the engine needs a GPU.

    device: times are predicted for it, None for none. measures: this machine has a GPU that runs the engine; then the
    collector loads it, as any engine, and nothing is predicted.
    """

    device: Device | None = None
    measures: bool = False
    name = RTX

    @property
    def uses_gpu(self) -> bool:
        return self.measures

    @property
    def stages(self) -> tuple[str, ...]:
        return (BUILD, PROFILE) if self.device is not None or self.measures else (BUILD,)

    def decisive(self, stage: str) -> object:
        if stage == PROFILE and self.measures:
            return super().decisive(stage)
        if stage == BUILD or self.device is None:
            return None
        return repr(self.device), simulator_version()  # a device may come from a file that has changed

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        if stage == BUILD or self.device is None:
            return (*super().command(stage, outputs), f"--library={TENSORRT_RTX}")
        options = self.lines.options
        return (
            *("trex", "process", operand(outputs.model or outputs.engine), operand(outputs.folder)),
            *options.trtexec_args,
            *("--profile-engine", "--backend", TENSORRT_RTX, "--device", self.device.name),
            *(("--no-cuda-graph",) if options.no_cuda_graph else ()),
        )

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        if stage == PROFILE and self.device is not None:
            return self._predict_times(self.device, outputs, watcher)
        return self._build(outputs, watcher) if stage == BUILD else super().run(stage, outputs, watcher)

    def _build(self, outputs: Outputs, watcher: Watcher) -> StageResult:
        result = super().run(BUILD, outputs, watcher)
        if not result.succeeded or self.measures:
            return result
        from trex.capture.log_graph import write_graph_of_log  # imported when the child has shown that it runs

        marks = {_BUILT: f"{RTX} {self.release}"}
        return replace(result, notes=(*result.notes, *write_graph_of_log(outputs.build_log, outputs.graph, marks)))

    def _predict_times(self, device: Device, outputs: Outputs, watcher: Watcher) -> StageResult:
        """Times of the engine's own layers, in the files of a profile, each marked."""
        from trex.simulator.artifacts import profile_bytes, query_rows, run_metadata, timing_bytes
        from trex.simulator.built_engine import has_open_shapes, with_predicted_times

        if not outputs.built_graph.is_file():
            hint = "build it here first: leave -p out, and name the ONNX model"
            raise TrexError("there are no layers to predict the times of", hint, str(outputs.built_graph))
        started = datetime.now(timezone.utc)
        graph = json.loads(outputs.built_graph.read_bytes())
        if _BUILT not in graph:
            message = f"the engine here was not built by {RTX} on a CPU"
            raise TrexError(
                message, "leave -p out: the model is built, then its times are predicted", str(outputs.engine)
            )
        sized = None
        if has_open_shapes(graph):
            sized, stopped = self._graph_of_one_shape(outputs, watcher)
            if stopped is not None:
                return stopped
        watcher.phase("predicting the times")
        model = (outputs.model or outputs.engine).name
        digest = "" if outputs.model is None else record_of(str(outputs.model)).sha256
        cuda_graph = _NO_GRAPH not in self.lines.opt_outs
        engine, notes = with_predicted_times(
            graph, device, model, f"for RTX {self.release}", model_sha256=digest, sized=sized, cuda_graph=cuda_graph
        )
        rows = query_rows(engine)
        write_whole(outputs.profile, profile_bytes(engine))
        write_whole(outputs.times, timing_bytes(rows, engine.mark))
        write_whole(outputs.profile_metadata, run_metadata(engine, rows))
        expected = f"expected between {engine.low_ms:.6g} and {engine.high_ms:.6g} ms"
        lines = [engine.statement, f"GPU compute {engine.compute_ms:.6g} ms on {device.name}, {expected}"]
        lines += [unjudged_words(engine.unjudged)] if engine.unjudged else []
        write_whole(outputs.profile_log, "".join(f"[I] [{engine.mark}] {line}\n" for line in lines).encode())
        ended = datetime.now(timezone.utc)
        child = ChildResult(0, "", started, ended, (ended - started).total_seconds())
        return StageResult(self.command(PROFILE, outputs), child, notes=notes)

    def _graph_of_one_shape(self, outputs: Outputs, watcher: Watcher) -> tuple[Any, StageResult | None]:
        """(graph of the same model, built for the shapes of the run alone; how that build ended if it was stopped).

        The graph is None if no model or no shapes are known. Raises TrexError if the build fails.
        """
        lines = self.lines.for_one_shape() if outputs.model is not None else None
        if lines is None:
            return None, None
        with scratch_folder() as name:
            folder = Path(name)
            apart = replace(outputs, folder=folder, engine=folder / outputs.engine.name)
            result = replace(self, lines=lines, measures=False)._build(apart, watcher)
            if result.failure is not None:
                message = f"can't predict times: the build for one shape failed: {result.failure.message}"
                raise TrexError(message, result.failure.hint, str(outputs.model))
            return (None, result) if not result.succeeded else (json.loads(apart.graph.read_bytes()), None)


def targets_of(text: str) -> tuple[str, ...]:
    """``sm89,RTX 3060`` → (sm89, sm86); () for none. Raises TrexError for a GPU that it does not build for."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return TARGETS if names == [_ALL] else tuple(dict.fromkeys(map(_target, names)))


def own_target(gpu: int) -> str:
    """``sm89``: of CUDA's GPU ``gpu`` of this machine; "" without one that it builds for or a binding to measure by."""
    if not has_driver() or not any(map(is_installed, ("cuda", "pycuda"))):
        return ""
    try:
        capability = device_properties(gpu)[0].get("ComputeCapability")
    except TrexError:
        return ""
    target = "sm{}{}".format(*capability) if capability else ""
    return target if target in TARGETS else ""


def _target(name: str) -> str:
    if name.lower() in TARGETS:
        return name.lower()
    offered = f"it builds for {', '.join(TARGETS)} and {_ALL}"
    try:
        capability = find_device(name).compute_capability
    except TrexError:
        raise TrexError(
            f"there is no target {name!r}", f"{offered}, or for a GPU: `trex devices` lists names"
        ) from None
    target = "" if capability is None else "sm{}{}".format(*capability)
    if target not in TARGETS:
        raise TrexError(f"{RTX} does not build for {name} ({target or 'unknown compute capability'})", offered)
    return target


def _conversion(precision: str) -> str:
    example = _PRECISIONS[precision] or "resnet18-fp16"
    return (
        "convert the ONNX model: ModelOpt AutoCast for FP16 and BF16, Q/DQ nodes for INT8, FP8 and INT4; the example "
        f"models …-fp16 and …-qat are converted: trex examples --model {example} --weights random -o {example}.onnx"
    )


def _note(version: str, has_times: bool) -> Note:
    return Note(
        "built-on-cpu",
        f"built by {RTX} {version} on a CPU: the layers are real, nothing was measured, and most kernels are chosen "
        "on the GPU at run time",
        "" if has_times else "--device NAME predicts the times of these layers",
        "",
        "info",
    )


def _is_available(_: CaptureOptions) -> bool:
    try:
        find_wheels()
    except CollectorError:
        return False
    return True


def _prepare(options: CaptureOptions) -> RtxJob:
    try:
        wheels = find_wheels()
    except CollectorError as error:
        raise TrexError(error.message, error.hint) from None
    release = release_from_text(wheels.version)
    assert release is not None  # of the library's file name
    for word in options.trtexec_args:
        name = word.lstrip("-").partition("=")[0]
        if name in _PRECISIONS:
            raise TrexError(
                f"{RTX} has no option --{name}: all precisions are those of the ONNX model", _conversion(name), word
            )
    device = find_device(options.device) if options.device and not options.device.isdecimal() else None
    targets = targets_of(options.target)
    own = "" if device is not None else own_target(options.gpu)
    if own and not targets and own not in _PORTABLE:
        targets = (own,)
    measures = bool(own) and own in (targets or _PORTABLE)
    taken = _OPTIONS | _RUN_OPTIONS if measures else _OPTIONS
    receiver = Receiver(RTX, "it takes these of trtexec's options: " + ", ".join(sorted(taken)), taken, wheels.version)
    lines = command_line(options, API_OF_RTX, receiver=receiver)
    notes = lines.notes if measures else (*lines.notes, _note(wheels.version, device is not None))
    ignored = ", ".join(f"--{name}" for name in sorted(lines.opt_outs - {_NO_GRAPH}))
    if device is not None and ignored:
        notes += (Note("not-predicted", f"{ignored} does not change predicted times", "", "", "info"),)
    more = (f"--target={','.join(targets)}",) if targets else ()
    return RtxJob(release, sys.executable, notes, lines, more, device, measures)


BACKEND = Backend(TENSORRT_RTX, _is_available, _prepare)
