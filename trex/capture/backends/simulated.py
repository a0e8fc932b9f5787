"""No TensorRT and no GPU: the engine that TensorRT is predicted to build for a GPU that is named, and its times."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from time import perf_counter

from trex.capture.backend import BUILD, PROFILE, Backend, StageEnd
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import PROFILING
from trex.capture.simulated_request import Request, request_of
from trex.capture.watcher import Watcher
from trex.core.note import Note
from trex.core.release import Release
from trex.core.whole_file import write_whole
from trex.simulator.artifacts import (
    build_metadata,
    graph_bytes,
    profile_bytes,
    query_rows,
    run_metadata,
    timing_bytes,
)
from trex.simulator.engine_file import SimulatedEngine, read_engine, write_engine
from trex.simulator.noise import engine_samples
from trex.simulator.simulation import simulate

_READ_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class SimulatedJob:
    options: CaptureOptions
    request: Request

    @property
    def release(self) -> Release:
        return self.request.target.release

    @property
    def program(self) -> str:
        return "trex's simulated builder"

    @property
    def notes(self) -> tuple[Note, ...]:
        message = (
            f"this engine is simulated: what TensorRT {self.release} is predicted to build for "
            f"{self.request.target.device.name}; nothing was built or measured"
        )
        return (Note("simulated", message, "trex validate tells how far such predictions hold", "", "info"),) + (
            self.request.notes
        )

    @property
    def uses_gpu(self) -> bool:
        return False

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        """No command of trtexec's: how the same stage is asked for again."""
        target = self.request.target
        words = ("trex", "process", str(outputs.model or outputs.engine), str(outputs.folder))
        told = (f"--{stage}-engine", "--backend", "simulated", "--device", target.device.name)
        noise = ("--noise", self.options.noise) if self.options.noise and stage == PROFILE else ()
        transfers = ("--include-data-transfers",) if self.options.include_data_transfers else ()
        launches = ("--no-cuda-graph",) if self.options.no_cuda_graph else ()
        release = ("--as-release", str(target.release))
        return (*words, *self.options.words, *told, *release, *noise, *transfers, *launches)

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageEnd:
        began, clock = datetime.now(timezone.utc), perf_counter()
        notes = self._build(outputs, watcher) if stage == BUILD else self._profile(outputs, watcher)
        ended = datetime.now(timezone.utc)
        command = self.command(stage, outputs)
        return StageEnd(command, 0, began, ended, perf_counter() - clock, notes=notes)

    def _build(self, outputs: Outputs, watcher: Watcher) -> tuple[Note, ...]:
        watcher.phase("predicting the engine")
        model = str(outputs.model)
        simulation = simulate(
            model,
            self.request.target,
            model_sha256=_sha256(Path(model)),
            transfers=self.options.include_data_transfers,
            cuda_graph=not self.options.no_cuda_graph,
        )
        engine = simulation.engine
        write_engine(engine, outputs.engine)
        write_whole(outputs.graph, graph_bytes(engine))
        write_whole(outputs.build_metadata, build_metadata(engine))
        write_whole(outputs.build_log, _log(self._told(stage=BUILD, engine=engine)))
        return simulation.notes

    def _profile(self, outputs: Outputs, watcher: Watcher) -> tuple[Note, ...]:
        watcher.phase(PROFILING)
        engine = read_engine(outputs.engine)
        layer_samples, compute = engine_samples(engine, self.options.noise)
        rows = query_rows(engine, compute)
        write_whole(outputs.graph, graph_bytes(engine))
        write_whole(outputs.profile, profile_bytes(engine, layer_samples))
        write_whole(outputs.times, timing_bytes(rows))
        write_whole(outputs.profile_metadata, run_metadata(engine, rows))
        write_whole(outputs.profile_log, _log(self._told(stage=PROFILE, engine=engine)))
        return ()

    def _told(self, stage: str, engine: SimulatedEngine) -> Iterator[str]:
        yield engine.statement
        yield f"{stage}: {engine.model} for {engine.device.get('Selected Device', '')}, TensorRT {engine.release}"
        if stage == BUILD:
            for decision in engine.decisions:
                yield f"{decision['by']}: {decision['what']} ({decision['why']})"
        else:
            between = f"expected between {engine.low_ms:.6g} and {engine.high_ms:.6g} ms"
            yield f"GPU compute {engine.compute_ms:.6g} ms, {between}"


def _log(lines: Iterator[str]) -> bytes:
    return "".join(f"[I] [simulated] {line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


BACKEND = Backend("simulated", lambda _: False, lambda options: SimulatedJob(options, request_of(options)))
