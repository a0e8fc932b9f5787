"""Arguments → the benchmark's table: how fast trex is, and how good its pictures are.

``python -m tests.benchmarks`` prints a table and always exits with 0: it informs, it does not judge a commit.
Everything takes half an hour, most of it Graphviz; ``--quick`` takes seconds; ``--only load``,
``draw``, ``picture``, ``logs``, ``process``, ``rtx``, ``growth``, ``perf``, ``report``, ``rules``, ``accuracy``,
``judged``, ``compare``, ``simulated``, ``commands``, ``loads``, ``caches``, ``store``, ``sweep``, ``agents`` or
``neighbors`` is one part; ``--json FILE`` keeps the figures.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import (
    bench_accuracy,
    bench_agents,
    bench_commands,
    bench_compare,
    bench_draw,
    bench_growth,
    bench_judged,
    bench_load,
    bench_loads,
    bench_logs,
    bench_neighbors,
    bench_perf,
    bench_picture,
    bench_process,
    bench_report,
    bench_rtx,
    bench_rules,
    bench_simulated,
    bench_store,
    bench_sweep,
    bench_timing_cache,
)
from tests.benchmarks.engines import STYLES
from tests.benchmarks.graphviz_dot import dot_version
from tests.benchmarks.table import HEADING, Part, measure, row_text, summary, write_json

PARTS = (
    "load",
    "draw",
    "picture",
    "logs",
    "process",
    "rtx",
    "growth",
    "perf",
    "report",
    "rules",
    "accuracy",
    "judged",
    "compare",
    "simulated",
    "commands",
    "loads",
    "caches",
    "store",
    "sweep",
    "agents",
    "neighbors",
)
QUICK_SIZES = (100, 400)


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    styles = (options.style,) if options.style else tuple(STYLES)
    sizes = tuple(int(size) for size in options.sizes.split(",")) if options.sizes else None
    records, repeats = (2_000, 1) if options.quick else (1_000_000, options.repeats)
    limit_s = min(10.0, options.dot_limit) if options.quick else options.dot_limit
    print(f"Graphviz: {dot_version() or 'no dot here'}; it is ended after {limit_s:g} s")
    print(HEADING)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts_of: dict[str, Callable[[], list[Part]]] = {
            "load": lambda: bench_load.parts(
                folder, styles, sizes or (QUICK_SIZES if options.quick else bench_load.SIZES), records, repeats
            ),
            "draw": lambda: bench_draw.parts(
                folder, styles, sizes or (QUICK_SIZES if options.quick else bench_draw.SIZES), repeats, limit_s
            ),
            "picture": lambda: bench_picture.parts(
                folder, styles, limit_s, sizes or bench_picture.SIZES, options.quick
            ),
            "logs": lambda: bench_logs.parts(folder, (1,) if options.quick else bench_logs.SIZES_MB, repeats),
            "growth": lambda: bench_growth.parts(options.quick),
            "process": lambda: bench_process.parts(folder, repeats, options.quick),
            "rtx": lambda: bench_rtx.parts(
                folder, repeats, ("resnet18-qat",) if options.quick else (*bench_rtx.NETWORKS,), options.quick
            ),
            "perf": lambda: bench_perf.parts(
                folder, styles, sizes or (QUICK_SIZES if options.quick else bench_perf.SIZES), records, repeats
            ),
            "report": lambda: bench_report.parts(
                folder, styles, sizes or (QUICK_SIZES[:1] if options.quick else bench_report.SIZES), repeats
            ),
            "rules": lambda: bench_rules.parts(
                folder, styles, sizes or (QUICK_SIZES if options.quick else bench_rules.SIZES), repeats
            ),
            "compare": lambda: bench_compare.parts(
                options.quick, sizes or (QUICK_SIZES if options.quick else bench_compare.SIZES), records, repeats
            ),
            "simulated": lambda: bench_simulated.parts(
                folder, sizes or (QUICK_SIZES if options.quick else bench_simulated.SIZES), repeats, options.quick
            ),
            "commands": lambda: bench_commands.parts(
                folder, sizes or (QUICK_SIZES[:1] if options.quick else bench_commands.SIZES), repeats
            ),
            "loads": lambda: bench_loads.parts(
                folder, *((4, 10) if options.quick else (bench_loads.FOLDERS, bench_loads.LOADS))
            ),
            "caches": lambda: bench_timing_cache.parts(
                0.1 if options.quick else bench_timing_cache.SIZE_MB, 1 if options.quick else 5
            ),
            "store": lambda: bench_store.parts(folder, 200 if options.quick else bench_store.RUNS, repeats),
            "sweep": lambda: bench_sweep.parts(folder / "sweep", options.quick),
            "agents": lambda: bench_agents.parts(folder, QUICK_SIZES[0] if options.quick else bench_agents.LAYERS),
            "neighbors": lambda: bench_neighbors.parts(
                folder, sizes or (QUICK_SIZES[:1] if options.quick else bench_neighbors.SIZES)
            ),
            "judged": lambda: bench_judged.parts(options.quick),
            "accuracy": lambda: bench_accuracy.parts(1 if options.quick else bench_accuracy.SEEDS),
        }
        wanted = [part for part in PARTS if part in (options.only or PARTS)]
        lines = measure(
            [measure for part in wanted for measure in parts_of[part]()], lambda line: print(row_text(line), flush=True)
        )
    print(summary(lines))
    if options.json:
        write_json(options.json, lines, dot=dot_version() or None)
    return 0


def _parser() -> argparse.ArgumentParser:
    first = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=first.partition(": ")[2])
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be given several times")
    parser.add_argument("--json", metavar="FILE", help="write every figure and sample to FILE")
    parser.add_argument("--quick", action="store_true", help="small engines and one repetition: shows that it runs")
    parser.add_argument("--sizes", metavar="N,N", help="numbers of layers instead of those with targets")
    parser.add_argument("--repeats", type=int, default=3, help="repetitions of each measurement (default 3)")
    parser.add_argument("--style", choices=STYLES, help="engines of one style only")
    parser.add_argument("--dot-limit", type=float, default=60.0, metavar="S", help="when dot is ended (default 60 s)")
    return parser
