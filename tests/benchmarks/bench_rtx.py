"""How fast: what ``trex process --backend tensorrt-rtx`` adds to a real build, and how long its log takes to read.

Run ``python -m tests.benchmarks --only rtx`` (half a minute; needs the wheels of the extra ``rtx``, no GPU).

How it measures
    ResNet18 with Q/DQ and BERT-base in FP16 at batch 8 are built, as of ``trex examples``, each repetition by a run of
    its own from the model to its picture, into a new folder. TensorRT's own share is what its log says: the time to
    import the model and the time to build the engine. All the rest of the wall clock is ours: Python, imports, the
    libraries' loading, writing the engine (225 MB of BERT-base), hashing, reading the log, drawing. First sign is the
    time until trex prints, from before Python is started. Peak memory is that of the trex process alone, to its end.
    The log of the last BERT-base is read as in the part ``logs``, in a process of its own. The table shows the best
    repetition, the JSON all of them.

Targets
    At most 1.5 s beside TensorRT and 60 MB; a first sign within 0.3 s; BERT-base's log in 0.3 s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.bench_process import Turn, best, peak_line, timed_run
from tests.benchmarks.table import Line, Part, child
from trex.capture.backend import BACKENDS
from trex.capture.options import CaptureOptions

OVERHEAD_S, MEMORY_MB, FIRST_SIGN_S, READING_S = 1.5, 60.0, 0.3, 0.3
NETWORKS = {"resnet18-qat": 1, "bert-base-fp16": 8}
_OWN_SECONDS = re.compile(r"Parse time: ([\d.]+)|Engine built in ([\d.]+) sec", re.ASCII)


def parts(folder: Path, repeats: int, networks: tuple[str, ...] = tuple(NETWORKS), quick: bool = False) -> list[Part]:
    """What is measured, in order; quick: every turn counts."""
    return [("rtx", partial(building, folder, repeats, networks, 0 if quick else 1))]


def building(folder: Path, repeats: int, networks: tuple[str, ...], warm_ups: int) -> Iterator[Line]:
    """The first turn of the first network is not counted: it makes Python's compiled files."""
    if not BACKENDS["tensorrt-rtx"].value.is_available(CaptureOptions("m", "o")):
        yield Line("rtx", None, "s", aside="TensorRT for RTX is not installed: pip install -e '.[rtx]'")
        return
    from trex.examples.network import write_network

    for name in networks:
        model = write_network(name, folder / f"{name}.onnx", batch=NETWORKS[name], weights="random")
        turns, ours = [], []
        for number in range(repeats + (warm_ups if name == networks[0] else 0)):
            place = folder / f"{name} {number}"
            turns.append(timed_run(model, place, ("--backend", "tensorrt-rtx")))
            log = place / "out" / f"{model.name}.engine.build.log"
            ours.append(_beside_tensorrt(turns[-1], log.read_text("utf-8", "replace")))
        turns, ours = turns[-repeats:], ours[-repeats:]
        aside = f"of {min(turn.seconds for turn in turns):.1f} s; the rest is TensorRT"
        yield best(f"rtx {name}", ours, "s", OVERHEAD_S, aside)
        yield best("  first sign", [turn.first_s for turn in turns], "s", FIRST_SIGN_S)
        yield peak_line(turns, MEMORY_MB)
    readings = [child("log", str(log)) for _ in range(repeats)]
    aside = f"{log.stat().st_size / 1e6:.1f} MB, {readings[0]['layers']} layers"
    yield best(f"  log of {name}", [reading["seconds"] for reading in readings], "s", READING_S, aside)


def _beside_tensorrt(turn: Turn, log: str) -> float:
    return turn.seconds - sum(float(match[1] or match[2]) for match in _OWN_SECONDS.finditer(log))
