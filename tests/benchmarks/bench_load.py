"""How fast: loading engines of 100 to 100 000 layers, and the few other things that must not make anyone wait.

Run ``python -m tests.benchmarks`` (about two minutes; ``--quick`` for seconds; ``--json FILE`` to keep the figures). It
prints a table and always exits with 0: it informs, it does not judge a commit. Ratios compare like with like on any
machine; seconds are meant for one 2-core machine with nothing else running.

How it measures
    Engines are generated (``tests/synthetic``), in two styles: convolutional as 8.4 writes it, Myelin as 10.4 does.
    Every repetition is a process of its own, with the imports done and nothing else warm; in it the load
    (``trex.EnginePlan(graph, profile)`` and ``.df``) and the reference (``orjson.loads`` and ``pandas.DataFrame`` of
    the same two files) take turns in going first. The table shows the best repetition, the JSON all of them. The
    processor's time beside it is nearer to what an idle machine would take.
    Peak memory is that of one load, the imports' own peak subtracted, over the size of the two files.
    The exponent of growth is the slope of log(time) over log(layers), by least squares, from 1 000 layers up.
    Engines under 1 000 layers are shown without a verdict on ratio and memory: there fixed costs are all that is seen.
    ``trex --help`` includes the start of Python itself, which is shown beside it.

Targets
    5 000 layers 0.3 s, 100 000 layers 6 s, 6 times the reference, exponent 1.1, 12 times the file, ``import trex``
    60 ms without pandas, ``trex --help`` 150 ms, listing the convolutions of 5 000 layers 0.1 s, 1 000 000 timing
    records 1.5 s.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.synthetic.artefacts import GRAPH, PROFILE
from tests.synthetic.cnn import cnn
from tests.synthetic.description import Description
from tests.synthetic.measurements import profile_bytes, profile_rows, query_times, timing_bytes
from tests.synthetic.spellings import spell_graph
from tests.synthetic.transformer import transformer

REPOSITORY = Path(__file__).resolve().parent.parent.parent
STYLES: dict[str, tuple[Callable[[int], Description], str]] = {"cnn": (cnn, "8.4"), "myelin": (transformer, "10.4")}
SIZES = (100, 1_000, 5_000, 20_000, 100_000)
JUDGED_FROM = 1_000
LOAD_TARGETS_S = {5_000: 0.3, 100_000: 6.0}
RATIO, EXPONENT, MEMORY_RATIO = 6.0, 1.1, 12.0
IMPORT_MS, HELP_MS, BY_TYPE_S, TIMING_S = 60.0, 150.0, 0.1, 1.5


@dataclass(frozen=True)
class Line:
    """One figure of the table. target: the most it may be, None where nothing was promised. aside: a comparison."""

    what: str
    value: float | None
    unit: str
    target: float | None = None
    aside: str = ""
    samples: tuple[float, ...] = ()

    @property
    def verdict(self) -> str:
        if self.target is None or self.value is None:
            return ""
        return "met" if self.value <= self.target else "MISSED"


def child(*arguments: str) -> dict[str, Any]:
    """What one measurement in a fresh process reports. Raises RuntimeError with its last words when it fails."""
    command = [sys.executable, "-m", "tests.benchmarks.child", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def write_engine(folder: Path, style: str, layers: int) -> tuple[str, str]:
    make, spelling = STYLES[style]
    description = make(layers)
    graph, profile = folder / f"{style}-{layers}{GRAPH}", folder / f"{style}-{layers}{PROFILE}"
    graph.write_text(json.dumps(spell_graph(description, spelling)), encoding="utf-8")
    profile.write_bytes(profile_bytes(profile_rows(description)))
    return str(graph), str(profile)


def exponent(sizes: list[int], seconds: list[float]) -> float | None:
    """Slope of log(seconds) over log(sizes) by least squares; None with fewer than two sizes."""
    if len(sizes) < 2:
        return None
    xs, ys = [math.log(s) for s in sizes], [math.log(t) for t in seconds]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def loading(folder: Path, style: str, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Load time, ratio and peak memory for each size, then the exponent over them."""
    best: dict[int, float] = {}
    for layers in sizes:
        files = write_engine(folder, style, layers)
        turns = [child("load", *files, ("load", "reference")[turn % 2]) for turn in range(repeats)]
        loads = tuple(turn["load_s"] for turn in turns)
        bases = tuple(turn["reference_s"] for turn in turns)
        best[layers] = min(loads)
        name = f"load {style} {layers:,} layers".replace(",", " ")
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


def measure(
    styles: list[str], sizes: tuple[int, ...], records: int, repeats: int, show: Callable[[Line], None]
) -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: list[tuple[str, Callable[[], Iterator[Line]]]] = [("start", partial(starting, repeats))]
        for style in styles:
            parts.append((style, partial(loading, folder, style, sizes, repeats)))
        parts.append(("timing", partial(timing, folder, records, repeats)))
        for part, run in parts:
            try:
                for line in run():
                    show(line)
                    lines.append(line)
            except (RuntimeError, subprocess.CalledProcessError) as error:
                line = Line(part, None, "", aside=f"could not be measured: {error}")
                show(line)
                lines.append(line)
    return lines


def row_text(line: Line) -> str:
    value = "–" if line.value is None else f"{line.value:.3g}" if line.value < 100 else f"{line.value:.0f}"
    target = "" if line.target is None else f"≤ {line.target:g} {line.unit}".rstrip()
    return f"{line.what:<42}{value:>9} {line.unit:<3}{target:<11}{line.verdict:<8}{line.aside}".rstrip()


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        **{name: version(name) for name in ("pandas", "numpy", "orjson")},
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", metavar="FILE", help="write every figure and sample to FILE")
    parser.add_argument("--quick", action="store_true", help="small engines and one repetition: shows that it runs")
    parser.add_argument("--sizes", metavar="N,N", help="numbers of layers instead of " + ",".join(map(str, SIZES)))
    parser.add_argument("--repeats", type=int, default=3, help="repetitions of each measurement (default 3)")
    parser.add_argument("--style", choices=STYLES, help="engines of one style only")
    options = parser.parse_args(arguments)
    sizes: tuple[int, ...] = (100, 400) if options.quick else SIZES
    records, repeats = (2_000, 1) if options.quick else (1_000_000, options.repeats)
    if options.sizes:
        sizes = tuple(int(size) for size in options.sizes.split(","))
    styles = [options.style] if options.style else list(STYLES)
    print(f"{'':<42}{'best':>9}    {'target':<11}")
    lines = measure(styles, sizes, records, repeats, lambda line: print(row_text(line), flush=True))
    missed = sum(line.verdict == "MISSED" for line in lines)
    print(f"{sum(line.verdict == 'met' for line in lines)} targets met, {missed} missed")
    if options.json:
        document = {"machine": machine(), "lines": [asdict(line) | {"verdict": line.verdict} for line in lines]}
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0
