"""No TensorRT and no GPU: predicts the engine that TensorRT would build for a named GPU, and its times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

from trex.capture.backend import BUILD, PROFILE, Backend, CaptureJob, StageResult
from trex.capture.child import ChildResult
from trex.capture.manifest import record_of
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import PROFILING, Watcher
from trex.capture.simulated_request import request_of
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.printable import operand
from trex.core.shape import shape_text
from trex.core.whole_file import write_whole
from trex.perf.expected import unjudged_words
from trex.simulator.artifacts import (
    build_metadata,
    engine_samples,
    graph_bytes,
    profile_bytes,
    query_rows,
    run_metadata,
    timing_bytes,
)
from trex.simulator.engine_file import SimulatedEngine, read_engine, write_engine
from trex.simulator.simulation import simulate
from trex.simulator.target import Target
from trex.simulator.version import simulator_version


@dataclass(frozen=True)
class SimulatedJob(CaptureJob):
    options: CaptureOptions
    target: Target

    @property
    def uses_gpu(self) -> bool:
        return False

    def decisive(self, stage: str) -> object:
        return repr(self.target.device), simulator_version()  # a device may come from a file that has changed

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        """The command that predicts the same stage again."""
        target, options = self.target, self.options
        return (
            *("trex", "process", operand(outputs.model or outputs.engine), operand(outputs.folder)),
            *options.trtexec_args,
            *(f"--{stage}-engine", "--backend", "simulated", "--device", target.device.name),
            *("--as-release", str(target.release)),
            *(("--no-cuda-graph",) if options.no_cuda_graph else ()),
            *(("--noise", options.noise) if options.noise and stage == PROFILE else ()),
        )

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        started = datetime.now(timezone.utc)
        notes = self._build(outputs, watcher) if stage == BUILD else self._profile(outputs, watcher)
        ended = datetime.now(timezone.utc)
        child = ChildResult(0, "", started, ended, (ended - started).total_seconds())
        return StageResult(self.command(stage, outputs), child, notes=notes)

    def _build(self, outputs: Outputs, watcher: Watcher) -> tuple[Note, ...]:
        watcher.phase("predicting the engine")
        model = str(outputs.model)
        simulation = simulate(model, self.target, model_sha256=record_of(model).sha256)
        engine = simulation.engine
        write_engine(engine, outputs.engine)
        write_whole(outputs.graph, graph_bytes(engine))
        write_whole(outputs.build_metadata, build_metadata(engine))
        write_whole(outputs.build_log, _log(_log_lines(BUILD, engine)))
        return simulation.notes

    def _profile(self, outputs: Outputs, watcher: Watcher) -> tuple[Note, ...]:
        watcher.phase(PROFILING)
        engine = read_engine(outputs.engine)
        if differing := ", ".join(self._differing(engine)):
            message = f"the engine was predicted for {differing}"
            raise TrexError(message, "predict the model anew: leave -p out", str(outputs.engine))
        layer_samples, compute = engine_samples(engine, self.options.noise)
        rows = query_rows(engine, compute)
        write_whole(outputs.graph, graph_bytes(engine))
        write_whole(outputs.profile, profile_bytes(engine, layer_samples))
        write_whole(outputs.times, timing_bytes(rows))
        write_whole(outputs.profile_metadata, run_metadata(engine, rows))
        write_whole(outputs.profile_log, _log(_log_lines(PROFILE, engine)))
        return ()

    def _differing(self, engine: SimulatedEngine) -> Iterator[str]:
        """What was asked for and is not the engine's: a run has no other GPU, release and shapes than the engine."""
        name, release = str(engine.device.get("Selected Device", "")), str(self.target.release)
        if name != self.target.device.name:
            yield f"{name}, not {self.target.device.name}"
        if self.options.as_release and engine.release != release:
            yield f"TensorRT {engine.release}, not {release}"
        if engine.cuda_graph and not self.target.cuda_graph:
            yield "launches as one CUDA graph, not one by one"
        if not engine.cuda_graph and any(word.lstrip("-") == "useCudaGraph" for word in self.options.trtexec_args):
            yield "launches one by one, not as one CUDA graph"
        for tensor, shape in self.target.shapes.items():
            own = engine.shapes.get(tensor)
            if own is None or tuple(own) != tuple(shape):
                yield f"{tensor}:{'no such input' if own is None else shape_text(own)}, not {shape_text(shape)}"


def _log_lines(stage: str, engine: SimulatedEngine) -> Iterator[str]:
    yield engine.statement
    yield f"{stage}: {engine.model} for {engine.device.get('Selected Device', '')}, TensorRT {engine.release}"
    if stage == BUILD:
        for decision in engine.decisions:
            yield f"{decision['by']}: {decision['what']} ({decision['why']})"
    else:
        interval = f"expected between {engine.low_ms:.6g} and {engine.high_ms:.6g} ms"
        yield f"GPU compute {engine.compute_ms:.6g} ms, {interval}"
        if engine.unjudged:
            yield unjudged_words(engine.unjudged)


def _log(lines: Iterator[str]) -> bytes:
    return "".join(f"[I] [simulated] {line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _prepare(options: CaptureOptions) -> SimulatedJob:
    request = request_of(options)
    target = request.target
    message = (
        f"this engine is simulated: what TensorRT {target.release} is predicted to build for {target.device.name}; "
        "nothing was built or measured"
    )
    note = Note("simulated", message, "trex validate reports how accurate predictions are", "", "info")
    return SimulatedJob(target.release, "trex's simulated builder", (note, *request.notes), options, target)


BACKEND = Backend("simulated", lambda _: False, _prepare)
