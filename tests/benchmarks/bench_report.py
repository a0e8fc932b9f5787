"""How fast: the report of an engine as a page and as a workbook, the page in a browser, and each of its charts.

Run ``python -m tests.benchmarks --only report`` (some three minutes).

How it measures
    Engines are generated (``tests/synthetic``) in two styles. A report is ``trex report FILE -o x.html`` in a process
    of its own, from before Python starts until it has ended; its size is that of the file. The workbook is made the
    same way. The page is opened in headless Chromium without a graphics card; first contentful paint is what the
    browser itself reports. A chart is its making from a loaded plan and its description as plotly takes it, in a
    process where a small report has been made before and every chart is made for the first time; what charts share
    counts for the one that asks first. The table shows the best repetition, the JSON all of them.

    The Build part is that of a log of 500,000 timings (``trex.examples.verbose_log``): its packed data.

Targets
    Page of 100 layers 3 s and 2.5 MB, of 5 000 layers 8 s and 2.5 MB + 800 B a layer; first contentful paint 1 s and
    3 s; ``chromium --print-to-pdf`` of 5 000 layers 20 s, with all charts on 12 sheets at most; every chart of 5 000
    layers 0.2 s; workbook of 5 000 layers 4 s; Build part of 500,000 timings 3 MB.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.benchmarks.engines import write_engine
from tests.benchmarks.page import print_report, why_not
from tests.benchmarks.table import REPOSITORY, Line, Part, child, counted
from trex.examples.verbose_log import verbose_log

MEASURED = ("cnn", "myelin")
SIZES = (100, 5_000)
HTML_S, XLSX_S = {100: 3.0, 5_000: 8.0}, {5_000: 4.0}
PRINT_S = {5_000: 20.0}
PAINT_MS, CHART_S = {100: 1_000.0, 5_000: 3_000.0}, {5_000: 0.2}
PAGE_BYTES, PAGE_LAYER_BYTES, JUDGED_FROM = 2_500_000.0, 800.0, 1_000
BUILD, BUILD_BYTES = (600, 272), 3_000_000.0
"""Layers, and timings of each in each of three combinations of formats."""
SLOWEST = 3


def parts(folder: Path, styles: tuple[str, ...], sizes: tuple[int, ...], repeats: int) -> list[Part]:
    """What is measured, in order."""
    engines = [
        (f"report {style} {counted(layers)}", partial(reporting, folder, style, layers, repeats))
        for style in MEASURED
        if style in styles
        for layers in sizes
    ]
    build_layers = BUILD[0] if max(sizes) >= JUDGED_FROM else max(sizes)
    return [*engines, ("report of a build", partial(reporting_build, folder, build_layers))]


def reporting_build(folder: Path, layers: int) -> Iterator[Line]:
    """The page of an engine with a long build log: how much of it is the Build part."""
    path, page = folder / "build.log", folder / "build.report.html"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(verbose_log(layers, BUILD[1]))
    seconds = _written(str(path), page)
    packed = re.findall(rb'id="data-(?:details|list-choices)">([^<]*)<', page.read_bytes())
    aside = f"{path.stat().st_size / 1e6:.0f} MB of log, {len(packed)} tables"
    timings = layers * (3 * BUILD[1] + 18)
    yield Line(f"report of {timings:,} timings", seconds, "s", None, aside)
    yield Line("  Build part of the page", sum(map(len, packed)) / 1e6, "MB", BUILD_BYTES / 1e6)


def reporting(folder: Path, style: str, layers: int, repeats: int) -> Iterator[Line]:
    """The page, how it opens, the workbook, the charts."""
    files = write_engine(folder, style, layers)
    page, book = folder / f"{style}-{layers}.report.html", folder / f"{style}-{layers}.report.xlsx"
    samples = tuple(_written(files[0], page) for _ in range(repeats))
    aside = f"median {median(samples):.2f}"
    yield Line(f"report {style} {counted(layers)}, HTML", min(samples), "s", HTML_S.get(layers), aside, samples)
    most = PAGE_BYTES + (PAGE_LAYER_BYTES * layers if layers >= JUDGED_FROM else 0.0)
    yield Line("  page", page.stat().st_size / 1e6, "MB", most / 1e6)
    missing = why_not()
    if missing:
        yield Line("  page in Chromium", None, "", aside=missing)
    else:
        turns = [child("report-page", str(page)) for _ in range(repeats)]
        samples = tuple(turn["first_contentful_paint_ms"] for turn in turns)
        aside = f"Chromium {turns[0]['version']}; ready after {min(turn['ready_ms'] for turn in turns):.0f} ms"
        yield Line("  first contentful paint", min(samples), "ms", PAINT_MS.get(layers), aside, samples)
        paper = folder / f"{style}-{layers}.pdf"
        samples = tuple(print_report(page, paper) for _ in range(repeats))
        yield Line("  printed", min(samples), "s", PRINT_S.get(layers), f"{paper.stat().st_size / 1e6:.1f} MB", samples)
    samples = tuple(_written(files[0], book) for _ in range(repeats))
    aside = f"median {median(samples):.2f}, {book.stat().st_size / 1e6:.2f} MB"
    yield Line("  workbook", min(samples), "s", XLSX_S.get(layers), aside, samples)
    turns = [child("charts", *files) for _ in range(repeats)]
    best = {name: min(turn["charts"][name] for turn in turns) for name in turns[0]["charts"]}
    slowest = sorted(best, key=lambda name: -best[name])[:SLOWEST]
    aside = ", ".join(f"{name} {best[name]:.3f}" for name in slowest)
    yield Line("  slowest chart", best[slowest[0]], "s", CHART_S.get(layers), aside)
    yield Line(f"  all {len(best)} charts", sum(best.values()), "s")


def _written(graph: str, path: Path) -> float:
    """Seconds that ``trex report`` takes. Raises RuntimeError with its last words when it fails."""
    command = [sys.executable, "-m", "trex", "report", graph, "-o", str(path), "--device", "A100 80GB PCIe"]
    start = perf_counter()
    done = subprocess.run(
        command,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"trex report ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return seconds
