"""How fast: what ``trex process`` adds to trtexec, in time and memory, until the first output and in all.

Run ``python -m tests.benchmarks --only process`` (a quarter of a minute).

How it measures
    trtexec is the mock of the tests, as release 10.16: a child process that takes a tenth of a second a stage. Each
    repetition is a run of its own from a model to its picture, into a new folder. The manifest contains how long the
    children took; the rest of the wall clock is trex, and so is asking trtexec for its release. First output is the
    time until the log of the build holds a byte, from before Python is started; looked at every millisecond. Peak
    memory is that of the trex process alone, Python's own included.
    The table shows the best repetition, the JSON all of them. Clocks are not locked, for the GPU is not ours; with
    --monitor the driver is asked where there is one, and where there is none that is found out.

Targets
    At most 1 s and 60 MB in addition to the child; the first output within 0.5 s.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.table import REPOSITORY, Line, Part
from tests.mocks import write_model, write_trtexec

OVERHEAD_S, MEMORY_MB, FIRST_OUTPUT_S = 1.0, 60.0, 0.5
_LOOKS_EVERY_S = 0.001
_RELEASE = "10.16"
# The run in a process that reports its own peak memory when it has ended.
_RUN = """import sys
from trex.cli.main import main
code = main(sys.argv[2:])
from tests.benchmarks.child import peak_bytes
with open(sys.argv[1], "w") as file:
    file.write(str(peak_bytes() or ""))
sys.exit(code)
"""


class Turn(NamedTuple):
    """seconds: the run's wall clock; children_s: its children's. first_s: until the file held a byte. peak_mb: of the
    trex process, None where the system does not report it.
    """

    seconds: float
    children_s: float
    first_s: float
    peak_mb: float | None

    @property
    def overhead_s(self) -> float:
        return self.seconds - self.children_s


def parts(folder: Path, repeats: int, quick: bool = False) -> list[Part]:
    """What is measured, in order; quick: every turn counts."""
    return [("process", partial(running, folder, repeats, 0 if quick else 1))]


def running(folder: Path, repeats: int, warm_ups: int) -> Iterator[Line]:
    """Without and with telemetry. The first turn, which is not counted, makes Python's compiled files."""
    for what, words in (("process", ()), ("process --monitor", ("--monitor",))):
        turns = [_turn(folder / f"{what} {number}", words) for number in range(repeats + warm_ups)][warm_ups:]
        yield best(what, [turn.overhead_s for turn in turns], "s", OVERHEAD_S, "in addition to trtexec")
        yield best("  first output", [turn.first_s for turn in turns], "s", FIRST_OUTPUT_S)
        yield peak_line(turns, MEMORY_MB)


def peak_line(turns: list[Turn], target: float) -> Line:
    return best("  peak memory", [turn.peak_mb for turn in turns if turn.peak_mb is not None], "MB", target)


def best(what: str, samples: list[float], unit: str, target: float, aside: str = "") -> Line:
    return Line(what, min(samples, default=None), unit, target, aside, tuple(samples))


def _turn(folder: Path, words: tuple[str, ...]) -> Turn:
    model = write_model(folder / "m.onnx", inputs={"x": [-1, 3, 32, 32]})
    trtexec = write_trtexec(folder / "bin", _RELEASE)
    arguments = ("shapes=x:2x3x32x32", "--trtexec", str(trtexec), "--dont-lock-clocks", *words)
    return timed_run(model, folder, arguments, folder / "out" / "m.onnx.engine.build.log")


def timed_run(model: Path, folder: Path, arguments: tuple[str, ...], first: Path | None = None) -> Turn:
    """``trex process MODEL FOLDER/out``. first: the file whose first byte is waited for, else what trex prints.

    Raises RuntimeError with its last words when the run fails.
    """
    out, peak, printed = folder / "out", folder / "peak", folder / "output"
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"):
        environment.pop(name, None)
    with printed.open("w+") as output:
        start = time.perf_counter()
        run = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(peak), "process", str(model), str(out), *arguments],
            env=environment, cwd=REPOSITORY, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        while run.poll() is None and not _has_bytes(first or printed):
            time.sleep(_LOOKS_EVERY_S)
        first_s = time.perf_counter() - start
        code = run.wait()
        seconds = time.perf_counter() - start
        output.seek(0)
        if code:
            raise RuntimeError(f"trex process ended with {code}: {output.read().strip().splitlines()[-1:]}")
    stages = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["engines"][0]["stages"]
    peak_text = peak.read_text()
    children_s = sum(stage["duration_s"] for stage in stages)
    return Turn(seconds, children_s, first_s, int(peak_text) / 1e6 if peak_text else None)


def _has_bytes(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
