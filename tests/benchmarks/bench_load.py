"""How fast: loading engines of 100 to 100 000 layers, and the few other things that must not make anyone wait.

Run ``python -m tests.benchmarks --only load`` (about two minutes). Ratios compare like with like on any machine;
seconds are meant for one 2-core machine with nothing else running.

How it measures
    Engines are generated (``tests/synthetic``), in two styles: convolutional as 8.4 writes it, Myelin as 10.4 does.
    Every repetition is a process of its own, with the imports done and nothing else warm; in it the load
    (``trex.EnginePlan(graph, profile)`` and ``.df``) and the reference (``orjson.loads`` and ``pandas.DataFrame`` of
    the same two files) take turns in going first. The table shows the best repetition, the JSON all of them. The
    processor's time, shown next to it, is nearer to what an idle machine would take.
    Peak memory is that of one load, the imports' own peak subtracted, over the size of the two files.
    The exponent of growth is the slope of log(time) over log(layers), by least squares, from 1 000 layers up.
    Engines under 1 000 layers are shown without a verdict on ratio and memory: there fixed costs are all that is seen.
    ``trex --help`` includes the start of Python itself, which is shown next to it.

Targets
    5 000 layers 0.3 s, 100 000 layers 6 s, 6 times the reference, exponent 1.1, 12 times the file, ``import trex``
    60 ms without pandas, ``trex --help`` 150 ms, listing the convolutions of 5 000 layers 0.1 s, 1 000 000 timing
    records 1.5 s.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.benchmarks.engines import write_engine
from tests.benchmarks.table import REPOSITORY, Line, Part, child, counted, exponent
from tests.synthetic.cnn import cnn
from tests.synthetic.measurements import query_times, timing_bytes

LOADED = ("cnn", "myelin")
SIZES = (100, 1_000, 5_000, 20_000, 100_000)
JUDGED_FROM = 1_000
LOAD_TARGETS_S = {5_000: 0.3, 100_000: 6.0}
RATIO, EXPONENT, MEMORY_RATIO = 6.0, 1.1, 12.0
IMPORT_MS, HELP_MS, BY_TYPE_S, TIMING_S = 60.0, 150.0, 0.1, 1.5


def parts(folder: Path, styles: tuple[str, ...], sizes: tuple[int, ...], records: int, repeats: int) -> list[Part]:
    """What is measured, in order."""
    parts: list[Part] = [("start", partial(starting, repeats))]
    for style in LOADED:
        if style in styles:
            parts.append((style, partial(loading, folder, style, sizes, repeats)))
    parts.append(("timing", partial(timing, folder, records, repeats)))
    return parts


def loading(folder: Path, style: str, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Load time, ratio and peak memory for each size, then the exponent over them."""
    best: dict[int, float] = {}
    for layers in sizes:
        files = write_engine(folder, style, layers)
        turns = [child("load", *files, ("load", "reference")[turn % 2]) for turn in range(repeats)]
        loads = tuple(turn["load_s"] for turn in turns)
        bases = tuple(turn["reference_s"] for turn in turns)
        best[layers] = min(loads)
        name = f"load {style} {counted(layers)}"
        busy = min(turn["load_cpu_s"] for turn in turns)
        aside = f"median {median(loads):.3f}, processor {busy:.3f}, bare {min(bases):.3f}"
        yield Line(name, min(loads), "s", LOAD_TARGETS_S.get(layers), aside, loads)
        judged = layers >= JUDGED_FROM
        yield Line("  over orjson + DataFrame", min(loads) / min(bases), "×", RATIO if judged else None)
        memory = child("memory", *files)
        ratio = None if memory["peak_bytes"] is None else memory["peak_bytes"] / memory["file_bytes"]
        aside = f"files {memory['file_bytes'] / 1e6:.1f} MB"
        yield Line("  peak memory over file size", ratio, "×", MEMORY_RATIO if judged else None, aside)
        if style == "cnn" and (layers == 5_000 or layers == max(sizes) < 5_000):
            yield from by_type(files, layers, repeats)
    large = [layers for layers in sizes if layers >= JUDGED_FROM] if max(sizes) > JUDGED_FROM else list(sizes)
    target = EXPONENT if max(sizes) > JUDGED_FROM else None
    slope = exponent(large, [best[layers] for layers in large])
    yield Line(f"growth {style}, exponent", slope, "", target, f"{large[0]} … {large[-1]} layers")


def by_type(files: tuple[str, str], layers: int, repeats: int) -> Iterator[Line]:
    turns = [child("by-type", *files) for _ in range(repeats)]
    samples = tuple(turn["seconds"] for turn in turns)
    yield Line(
        "  get_layers_by_type('Convolution')",
        min(samples),
        "s",
        BY_TYPE_S if layers == 5_000 else None,
        f"{turns[0]['rows']} rows",
        samples,
    )


def starting(repeats: int) -> Iterator[Line]:
    """What one waits for before anything happens."""
    turns = [child("import") for _ in range(repeats)]
    samples = tuple(turn["seconds"] * 1000 for turn in turns)
    brought = [name for name in ("pandas", "numpy") if turns[0][name]]
    yield Line("import trex", min(samples), "ms", IMPORT_MS, "", samples)
    aside = ", ".join(brought) or "neither pandas nor numpy"
    yield Line("  heavy libraries it brings", float(len(brought)), "", 0.0, aside)
    first = min(turn["first_use_s"] for turn in turns)
    yield Line("  first use of trex.EnginePlan", first * 1000, "ms", None, "without pandas until .df is asked for")
    bare = min(wall_ms([sys.executable, "-c", "pass"]) for _ in range(repeats))
    samples = tuple(wall_ms([sys.executable, "-m", "trex", "--help"]) for _ in range(repeats))
    yield Line("trex --help", min(samples), "ms", HELP_MS, f"python -c pass {bare:.0f} ms", samples)


def wall_ms(command: list[str]) -> float:
    start = perf_counter()
    subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=True)
    return (perf_counter() - start) * 1000


def timing(folder: Path, records: int, repeats: int) -> Iterator[Line]:
    """Reading per-query times through the public parser."""
    rows = timing_bytes(query_times(cnn(20), min(records, 1_000))).decode()
    lines = rows.removeprefix("[\n  ").removesuffix("\n]\n").split("\n, ")
    path = folder / "many.timing.json"
    whole, rest = divmod(records, len(lines))
    path.write_text("[\n  " + "\n, ".join(lines * whole + lines[:rest]) + "\n]\n", encoding="utf-8")
    turns = [child("timing", str(path)) for _ in range(repeats)]
    samples = tuple(turn["seconds"] for turn in turns)
    bare = min(turn["reference_s"] for turn in turns)
    aside = f"{turns[0]['rows']} read, {path.stat().st_size / 1e6:.0f} MB, bare orjson.loads {bare:.3f}"
    name = f"read {records:,} timing records".replace(",", " ")
    yield Line(name, min(samples), "s", TIMING_S if records == 1_000_000 else None, aside, samples)
