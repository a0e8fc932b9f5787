"""How fast: all lint rules over engines of growing size, and the share of each.

Run ``python -m tests.benchmarks --only rules`` (some minutes: the engines are generated and loaded first).

How it measures
    Engines are generated (``tests/synthetic``) in three styles and loaded, on an A100. What is measured starts at the
    loaded plan and ends at the lint result, with the work, roofline and memory that rules ask for; ``readings`` is
    their part. Every repetition is a process of its own, after the same on a small engine. A rule's share is its time
    over that of all rules, with the readings made before.

Targets
    All rules on 5 000 layers 0.5 s, on 100 000 layers 10 s; growth with an exponent of at most 1.2; no rule over 20 %
    of the rules' time on 20 000 layers and more.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

from tests.benchmarks.engines import write_engine
from tests.benchmarks.table import Line, Part, child, counted, exponent

MEASURED = ("cnn", "myelin", "unet")
SIZES = (5_000, 20_000, 100_000)
TARGETS_S = {5_000: 0.5, 100_000: 10.0}
LARGEST_SHARE_PCT, SHARES_FROM = 20.0, 20_000
EXPONENT = 1.2
SHOWN = 8


def parts(folder: Path, styles: tuple[str, ...], sizes: tuple[int, ...], repeats: int) -> list[Part]:
    """What is measured, in order."""
    return [(f"rules {style}", partial(rules, folder, style, sizes, repeats)) for style in MEASURED if style in styles]


def rules(folder: Path, style: str, sizes: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Time of lint for each size, the rules' shares, and its growth."""
    best = []
    for layers in sizes:
        files = write_engine(folder, style, layers)
        turns = [child("rules", *files) for _ in range(repeats)]
        spent = tuple(turn["lint_s"] for turn in turns)
        least = min(turns, key=lambda turn: turn["lint_s"])
        best.append(least["lint_s"])
        aside = f"median {median(spent):.3f}, processor {least['cpu_s']:.3f}, readings {least['readings_s']:.3f}, "
        aside += f"{least['rules']} rules, {least['findings']} findings"
        if least["failed"]:
            aside += f", FAILED: {', '.join(least['failed'])}"
        yield Line(f"rules {style} {counted(layers)}", min(spent), "s", TARGETS_S.get(layers), aside, spent)
        yield from _shares(least["seconds"], layers)
    grown = exponent(sizes, best)
    yield Line(f"growth rules {style}, exponent", grown, "", EXPONENT if len(sizes) > 2 else None)


def _shares(seconds: dict[str, float], layers: int) -> Iterator[Line]:
    """The slowest rules, each with its share of all."""
    total = sum(seconds.values()) or 1.0
    target = LARGEST_SHARE_PCT if layers >= SHARES_FROM else None
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1])[:SHOWN]:
        yield Line(f"  {name}", 100 * spent / total, "%", target, f"{1000 * spent:.1f} ms")
