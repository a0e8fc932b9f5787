"""How fast, and how clean: a thousand engines in one process, and ten thousand loads.

Run ``python -m tests.benchmarks --only loads`` (five minutes).

How it measures
    A folder holds copies of the package's examples and, where they are, of real engines. One process loads each by
    itself, then all of them by ``trex.load_all``; figures are processor time. Another loads them in turn, builds each
    frame and drops it; its resident memory is read after a tenth of the loads and after all.

Targets
    ``load_all`` takes 1.5 times the single loads together; memory grows by 10 MB at most.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from tests.benchmarks.replicated import REAL, is_there
from tests.benchmarks.table import Line, Part, child

FOLDERS, LOADS = 1_000, 10_000
RATIO, GROWTH_MB = 1.5, 10.0


def parts(folder: Path, folders: int, loads: int) -> list[Part]:
    """What is measured, in order."""
    return [("load_all", partial(loading, folder / "all", folders)), ("leak", partial(leaking, folder / "few", loads))]


def loading(folder: Path, folders: int) -> Iterator[Line]:
    write_folders(folder, folders)
    figures = child("loads", str(folder))
    yield Line(f"load_all of {folders:,} folders".replace(",", " "), figures["all_s"], "s")
    aside = f"one by one {figures['alone_s']:.3g} s"
    yield Line("  over loading each", figures["all_s"] / figures["alone_s"], "×", RATIO, aside)


def leaking(folder: Path, loads: int) -> Iterator[Line]:
    write_folders(folder, len(REAL))
    figures = child("leak", str(folder), str(loads))
    growth = (figures["late_bytes"] - figures["early_bytes"]) / 1e6
    aside = f"after {loads // 10:,} loads {figures['early_bytes'] / 1e6:.0f} MB".replace(",", " ")
    yield Line(f"memory after {loads:,} loads".replace(",", " "), growth, "MB", GROWTH_MB, aside)


def write_folders(folder: Path, count: int) -> None:
    """Copies of the engines in turn."""
    folder.mkdir(parents=True)
    sources = [source for name, (source, _) in REAL.items() if is_there(name)]
    for number, source in enumerate(islice(cycle(sources), count)):
        shutil.copytree(source, folder / f"engine-{number:04}", ignore=shutil.ignore_patterns("*.onnx", "*.md"))
