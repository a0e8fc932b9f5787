"""How fast: whole commands on real engines that are replicated, and on a generated one.

Run ``python -m tests.benchmarks --only commands`` (half an hour with 100 000 layers; ``--sizes 5000`` is 10 minutes).

How it measures
    Engines are real ones many times over (``replicated.py`` says how): two built by TensorRT for RTX, three that others
    made (skipped where they are not), and generated Transformers: with nine kernels, and with as many as layers. Each
    command is a process of its own, from before Python starts until it has ended; its figure is the processor time of
    the process and of its children, the least of the repetitions, and the largest resident size of any of them. trex is
    compiled to bytecode before, as pip does when it installs. ``load`` reads the files and builds the frame in a
    process that has the libraries imported.
    ``compare`` has the same engine on both sides, one with times 5 % longer.

Targets
    Processor seconds at 5 000 and 100 000 layers: load 0.3 and 6, summary 1.5 and 20, perf 1.5 and 25, lint 1 and 15,
    a drawing as SVG 2 and 30, as a page 2.5 and 35, the report's page 6 and 60, compare 1.5 and 25. Memory: 12 times
    the files and 150 MB. Growth: an exponent of at most 1.2. Nearly missed: the report's
    memory at 5 000 layers (230 MB of 235). Python with NumPy, pandas and its pyarrow takes 101 MB before an engine is
    read, without pyarrow 67 MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from compileall import compile_dir
from functools import partial
from pathlib import Path

from tests.benchmarks.engines import write_engine
from tests.benchmarks.replicated import REAL, is_there, write_replicated
from tests.benchmarks.table import REPOSITORY, Line, Part, child, counted, environment, exponent

SIZES = (1_000, 5_000, 20_000, 100_000)
GENERATED: Mapping[str, Callable[..., tuple[str, str]]] = {
    "myelin": partial(write_engine, style="myelin"),
    "distinct kernels": partial(write_engine, style="myelin", has_distinct_kernels=True),
}
TARGETS_S = {
    "load": {5_000: 0.3, 100_000: 6.0},
    "summary": {5_000: 1.5, 100_000: 20.0},
    "perf": {5_000: 1.5, 100_000: 25.0},
    "lint": {5_000: 1.0, 100_000: 15.0},
    "draw svg": {5_000: 2.0, 100_000: 30.0},
    "draw page": {5_000: 2.5, 100_000: 35.0},
    "report": {5_000: 6.0, 100_000: 60.0},
    "compare": {5_000: 1.5, 100_000: 25.0},
}
EXPONENT, JUDGED_FROM = 1.2, 5_000


def parts(folder: Path, sizes: tuple[int, ...], repeats: int) -> list[Part]:
    """What is measured, in order."""
    names = [name for name in REAL if is_there(name)]
    return [(f"commands {name}", partial(commands, folder, name, sizes, repeats)) for name in (*names, *GENERATED)]


def commands(folder: Path, name: str, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Each command at each size, then its growth."""
    compile_dir(REPOSITORY / "trex", quiet=1)
    written = {
        size: GENERATED[name](folder, layers=size) if name in GENERATED else write_replicated(folder, name, size)
        for size in sizes
    }
    for command, targets in TARGETS_S.items():
        spent = []
        for layers, files in written.items():
            turns = [_run(command, files, folder) for _ in range(repeats)]
            spent.append(min(seconds for seconds, _ in turns))
            size_mb = sum(Path(file).stat().st_size for file in files) / 1e6
            peak_mb = max(peak for _, peak in turns)
            most_mb = 150 + 12 * size_mb * (2 if command == "compare" else 1)
            what = f"{command}, {name} {counted(layers)}"
            yield Line(what, spent[-1], "s", targets.get(layers), f"files {size_mb:.1f} MB")
            yield Line("  peak memory", peak_mb, "MB", most_mb if layers >= JUDGED_FROM else None)
        yield Line(f"  growth {command}, exponent", exponent(sizes, spent), "", EXPONENT if len(sizes) > 2 else None)


def _arguments(command: str, files: tuple[str, str], folder: Path) -> tuple[str, ...]:
    graph, trex = files[0], ("-m", "trex")
    return {
        "summary": (*trex, "summary", graph),
        "perf": (*trex, "perf", graph, "--device", "A100 80GB PCIe"),
        "lint": (*trex, "lint", graph),
        "draw svg": (*trex, "draw", graph, "-o", str(folder / "drawn.svg")),
        "draw page": (*trex, "draw", graph, "-o", str(folder / "drawn.html")),
        "report": (*trex, "report", graph, "-o", str(folder / "report.html")),
        "compare": (*trex, "compare", graph, _slower(files)),
    }[command]


def _slower(files: tuple[str, str]) -> str:
    """The same engine in another folder, its times 5 % longer."""
    graph, profile = map(Path, files)
    out = graph.parent / "slower"
    out.mkdir(exist_ok=True)
    rows = json.loads(profile.read_bytes())
    times = ("timeMs", "averageMs", "medianMs")
    rows = [{key: 1.05 * value if key in times else value for key, value in row.items()} for row in rows]
    (out / profile.name).write_text(json.dumps(rows), encoding="utf-8")
    (out / graph.name).write_bytes(graph.read_bytes())
    return str(out / graph.name)


def _run(command: str, files: tuple[str, str], folder: Path) -> tuple[float, float]:
    """(processor seconds, peak MB) of a command. Raises RuntimeError if it fails."""
    if command == "load":
        return child("load", *files, "load")["load_cpu_s"], child("memory", *files)["peak_bytes"] / 1e6
    script = (
        "import json, resource, subprocess, sys;"
        "done = subprocess.run([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(json.dumps([done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024,"
        " done.stderr.decode(errors='replace')[-300:]]))"
    )
    arguments = (sys.executable, "-c", script, *_arguments(command, files, folder))
    done = subprocess.run(arguments, cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=True)
    code, seconds, peak_mb, words = json.loads(done.stdout)
    if code not in (0, 1):
        raise RuntimeError(f"{command}: {words}")
    return seconds, peak_mb
