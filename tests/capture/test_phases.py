"""Lines of output → phases: real logs, logs of the mock, and unknown lines."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.mocks import RELEASES, write_model
from trex.capture import phases
from trex.capture.phases import Phase, PhaseReader

BUILT = [
    phases.IMPORTING, phases.OPTIMIZING, phases.TIMING, phases.SERIALIZING, phases.DESERIALIZING, phases.PREPARING,
]  # fmt: skip
RAN = [phases.DESERIALIZING, phases.PREPARING, phases.MEASURING]


def phases_of(lines: Iterable[str]) -> list[Phase]:
    reader = PhaseReader()
    return [phase for line in lines if (phase := reader.read(line)) is not None]


def names_of(sequence: list[Phase]) -> list[str]:
    """Each phase once where it goes on."""
    return [phase.name for index, phase in enumerate(sequence) if index == 0 or sequence[index - 1].name != phase.name]


REAL = {
    "trt8.4-mnist-fp16-build-verbose.log": ([*BUILT, phases.MEASURING, phases.EXPORTING], 10, 10),
    "trt8.6-build-verbose.log": (BUILT, 10, 10),
    "trt8.6-load-profile-verbose.log": ([*RAN, phases.EXPORTING], None, None),
    "trt10.16-trtexec-01.log": (
        [phase for phase in BUILT if phase != phases.TIMING] + [phases.MEASURING, phases.EXPORTING],
        None,
        None,
    ),
    "trt10.16-trtexec-05.log": ([*RAN, phases.EXPORTING], None, None),
}


@pytest.mark.parametrize("name", REAL)
def test_real_logs(name: str, shared_logs: Path) -> None:
    names, done, total = REAL[name]
    sequence = phases_of((shared_logs / name).read_text("utf-8", "replace").split("\n"))
    assert names_of(sequence) == names
    timed = [phase for phase in sequence if phase.name == phases.TIMING]
    assert (timed[-1].done, timed[-1].total) == (done, total) if timed else done is None


def test_each_backend_strategy_counts_its_own_layers(shared_logs: Path) -> None:
    sequence = phases_of((shared_logs / "trt10.16-trtexec-02.log").read_text("utf-8", "replace").split("\n"))
    ends = [
        (phase.done, phase.total)
        for phase, after in pairwise(sequence)
        if phase.name == phases.TIMING and after.name != phases.TIMING
    ]
    assert ends == [(13, 13), (5, 5), (5, 5)]


@pytest.mark.slow
@pytest.mark.parametrize("release", ["8.2", "8.6", "10.16", "11.1"])
def test_the_mock(release: str, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    program, model = str(make_trtexec(release)), write_model(tmp_path / "m.onnx")
    skip = "--buildOnly" if release == "8.2" else "--skipInference"

    def run(*words: str) -> list[Phase]:
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return phases_of(done.stdout.split("\n"))

    built = run(f"--onnx={model}", f"--saveEngine={tmp_path}/m.engine", "--verbose", skip)
    assert names_of(built)[:5] == BUILT[:5]
    timed = [phase for phase in built if phase.name == phases.TIMING]
    assert [phase.done for phase in timed] == list(range(1, len(timed) + 1))
    assert all(phase.total is not None and phase.done <= phase.total for phase in timed if phase.done)
    separate = () if release == "11.1" else ("--separateProfileRun",)
    ran = run(f"--loadEngine={tmp_path}/m.engine", "--dumpProfile", "--verbose", *separate)
    assert names_of(ran)[-3:] == [phases.MEASURING, phases.PROFILING, phases.EXPORTING]
    assert release in RELEASES


def test_more_layers_than_were_counted_have_no_total() -> None:
    lines = ["[I] [TRT] After concat removal: 1 layers", *["[V] [TRT] =============== Computing costs for x"] * 2]
    assert phases_of(lines)[-2:] == [Phase(phases.TIMING, 1, 1), Phase(phases.TIMING, 2, None)]


@pytest.mark.parametrize(
    "line",
    ["", "Starting inference", "x [I] Starting inference", "[I] Startling inference", "&&&& PASSED",
     "[I] Original: many layers",
     "\x00\ufffd", "[V] [TRT] Parsing node: Engine built in"],
)  # fmt: skip
def test_other_lines_change_nothing(line: str) -> None:
    assert PhaseReader().read(line) is None


def test_what_tensorrt_reports_of_its_progress_wins_until_the_engine_is_built() -> None:
    """Lines of a build by TensorRT for RTX 1.7.1."""
    log = """\
[11/23/2026-07:29:11] [I] Start parsing network model.
[11/23/2026-07:29:11] [I] Finished parsing network model. Parse time: 0.44
[11/23/2026-07:29:11] [I] [progress] Optimizing graph: 3 of 30, 50.0 %
[11/23/2026-07:29:11] [V] [TRT] =============== Computing costs for {ForeignNode[a...b]}
[11/23/2026-07:29:11] [V] [TRT] Formats and tactics selection completed in 0.1 seconds.
[11/23/2026-07:29:11] [I] [progress] Determining refit engines: 0 of 1, 75.0 %
[11/23/2026-07:29:13] [I] [TRT] Engine generation completed in 2.5 seconds.
[11/23/2026-07:29:13] [I] [progress] Building Engine: 1 of 2
[11/23/2026-07:29:13] [I] Engine built in 2.8 sec.
"""
    assert phases_of(log.splitlines()) == [
        Phase(phases.IMPORTING),
        Phase(phases.OPTIMIZING),
        Phase("Optimizing graph", 3, 30, 0.5),
        Phase("Determining refit engines", 0, 1, 0.75),
        Phase("Building Engine", 1, 2),
        Phase(phases.SERIALIZING),
    ]
