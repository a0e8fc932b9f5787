"""How fast: what the numbers mean — work, rooflines, statistics of samples, memory — and how many tactics are read.

Run ``python -m tests.benchmarks --only perf`` (a minute).

How it measures
    Engines are generated (``tests/synthetic``) in three styles and loaded; what is measured starts at the loaded plan
    and ends at ``Performance.works`` and ``.roofline`` on an A100, or at ``.memory``. Every repetition is a process of
    its own, after the same has been done to a small engine. Samples are a million times in milliseconds with drift,
    outliers and a clock's steps. The table shows the best repetition, the JSON all of them; the processor's time,
    shown next to it, is nearer to what an idle machine would take.
    Tactic names are those of the real engines and logs next to the repository (TREX_SHARED); decoded are the parts of
    which the meaning is known, by characters and by names.

Targets
    Work and rooflines of 5 000 layers 0.1 s, of 100 000 layers 2 s; statistics of 1 000 000 samples 1.5 s; memory of
    20 000 layers 0.5 s; 95 % of the tactics' names decoded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

from tests.benchmarks.engines import write_engine
from tests.benchmarks.table import REPOSITORY, Line, Part, child, counted

MEASURED = ("cnn", "myelin", "unet")
SIZES = (5_000, 20_000, 100_000)
ROOFLINE_TARGETS_S = {5_000: 0.1, 100_000: 2.0}
MEMORY_TARGETS_S = {20_000: 0.5}
SAMPLES_S, DECODED_PCT = 1.5, 95.0
_SHARED = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared"))


def parts(folder: Path, styles: tuple[str, ...], sizes: tuple[int, ...], samples: int, repeats: int) -> list[Part]:
    """What is measured, in order."""
    parts: list[Part] = [
        (style, partial(meaning, folder, style, sizes, repeats)) for style in MEASURED if style in styles
    ]
    return [*parts, ("samples", partial(statistics, samples, repeats)), ("tactics", tactics)]


def meaning(folder: Path, style: str, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Work with rooflines, and memory, for each size."""
    for layers in sizes:
        files = write_engine(folder, style, layers)
        turns = [child("perf", *files) for _ in range(repeats)]
        spent = tuple(turn["work_s"] + turn["roofline_s"] for turn in turns)
        best = min(turns, key=lambda turn: turn["work_s"] + turn["roofline_s"])
        aside = f"median {median(spent):.3f}, processor {best['cpu_s']:.3f}, work alone {best['work_s']:.3f}"
        name = f"work and roofline {style} {counted(layers)}"
        yield Line(name, min(spent), "s", ROOFLINE_TARGETS_S.get(layers), aside, spent)
        held = tuple(turn["memory_s"] for turn in turns)
        yield Line("  memory", min(held), "s", MEMORY_TARGETS_S.get(layers), f"median {median(held):.3f}", held)


def statistics(samples: int, repeats: int) -> Iterator[Line]:
    turns = [child("samples", str(samples)) for _ in range(repeats)]
    spent = tuple(turn["seconds"] for turn in turns)
    target = SAMPLES_S if samples == 1_000_000 else None
    aside = f"median {median(spent):.3f}, processor {min(turn['cpu_s'] for turn in turns):.3f}"
    yield Line(f"statistics of {samples:,} samples".replace(",", " "), min(spent), "s", target, aside, spent)


def tactics() -> Iterator[Line]:
    """Raises RuntimeError where the real engines are not at hand."""
    if not _SHARED.is_dir():
        raise RuntimeError("the real engines are absent; set TREX_SHARED")
    figures = child("tactics", str(_SHARED))
    aside = f"{figures['names']} names, {figures['whole']} of them whole; {figures['files']} engines and logs"
    yield Line("tactic names decoded", figures["decoded_pct"], "%", DECODED_PCT, aside, is_least=True)
