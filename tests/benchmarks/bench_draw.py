"""How fast: from a plan to DOT, scene, SVG and page, and the page in a browser; and ``dot`` of the same engines.

Run ``python -m tests.benchmarks --only draw`` (some fifteen minutes, most of them for ``dot``; ``--dot-limit S``).

How it measures
    Engines are generated in three styles: residual chains (cnn), repeated transformer blocks (myelin), U-Nets. Every
    repetition is a process of its own, with the imports done and one small engine drawn. ``to_dot`` ends with the text
    in hand. Layout is PlanGraph → Scene: every label, position and path; folded (repeated blocks once) and
    framed (each module in a frame), it is plan → scene, which includes finding them.
    ``dot -Tplain`` gets the text that ``to_dot`` made, with all labels, and is ended after a limit; where it did not
    finish it is not tried on more layers of that style.
    The page is opened in headless Chromium without a graphics card. First paint is when the engine is on the canvas.
    Frames are those of the slowest of three movements, an event a frame; 60 a second is the most there is.
    100 000 layers are drawn as a user gets them without a choice, from the plan on.

Targets
    ``to_dot`` of 5 000 layers 0.5 s, exponent 1.1; layout of 1 000 layers 1 s, 5 000 4 s, 20 000 15 s, and 2 s folded;
    SVG 3 kB a layer; page 400 kB and 400 B a layer; first paint of 5 000 layers 1.5 s, of 20 000 4 s; moving at 20 000
    30 frames a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.benchmarks.engines import write_engine
from tests.benchmarks.graphviz_dot import run_dot
from tests.benchmarks.page import why_not
from tests.benchmarks.table import Line, Part, child, counted, exponent

DRAWN = ("cnn", "myelin", "unet")
SIZES = (1_000, 5_000, 20_000, 100_000)
# Engines of this many layers and more are drawn as the default style says, which folds or bounds them.
HUGE = 50_000
HUGE_STYLES = ("myelin", "irregular")
JUDGED_FROM = 1_000
TO_DOT_S, LAYOUT_S, FOLDED_S = {5_000: 0.5}, {1_000: 1.0, 5_000: 4.0, 20_000: 15.0}, {20_000: 2.0}
PAINT_MS, FRAMES = {5_000: 1_500.0, 20_000: 4_000.0}, {20_000: 30.0}
SVG_BYTES, PAGE_BYTES, PAGE_LAYER_BYTES, EXPONENT = 3_000.0, 400_000.0, 400.0, 1.1


def parts(folder: Path, styles: tuple[str, ...], sizes: tuple[int, ...], repeats: int, limit_s: float) -> list[Part]:
    """What is measured, in order."""
    parts: list[Part] = []
    usual = tuple(layers for layers in sizes if layers < HUGE)
    for style in DRAWN:
        if style in styles and usual:
            parts.append((f"draw {style}", partial(drawing, folder, style, usual, repeats, limit_s)))
    for layers in (layers for layers in sizes if layers >= HUGE):
        for style in HUGE_STYLES:
            if style in styles:
                parts.append((f"draw {style} {counted(layers)}", partial(huge, folder, style, layers)))
    return parts


def drawing(folder: Path, style: str, sizes: tuple[int, ...], repeats: int, limit_s: float) -> Iterator[Line]:
    """Each size flat and folded, its page, then the growth over the sizes."""
    to_dot: dict[int, float] = {}
    layout: dict[int, float] = {}
    given_up = ""
    for layers in sizes:
        files = write_engine(folder, style, layers)
        stem = str(folder / f"{style}-{layers}")
        turns = [child("draw", *files, "flat", stem) for _ in range(repeats)]
        samples = tuple(turn["to_dot_s"] for turn in turns)
        to_dot[layers] = min(turn["to_dot_cpu_s"] for turn in turns)
        aside = f"{_busy(turns, 'to_dot')}, text {Path(f'{stem}.dot').stat().st_size / 1e6:.1f} MB"
        yield Line(f"to_dot {style} {counted(layers)}", min(samples), "s", TO_DOT_S.get(layers), aside, samples)
        samples = tuple(turn["layout_s"] for turn in turns)
        layout[layers] = min(turn["layout_cpu_s"] for turn in turns)
        answer = run_dot(Path(f"{stem}.dot").read_text(encoding="utf-8"), limit_s) if not given_up else None
        if answer is not None and answer.seconds is None:
            given_up = f"not tried: {answer.why} at {counted(layers)}" if "dot here" not in answer.why else answer.why
        dot_words = given_up if answer is None else answer.why or f"dot {answer.seconds:.2f} s"
        aside = f"{_busy(turns, 'layout')}, {turns[0]['boxes']} boxes; {dot_words}"
        yield Line("  layout, flat", min(samples), "s", LAYOUT_S.get(layers), aside, samples)
        yield from _sizes(turns[0], layers)
        yield from _page(Path(f"{stem}.html"), layers, repeats)
        for how, target in (("folded", FOLDED_S.get(layers)), ("framed", None)):
            turns = [child("draw", *files, how, f"{stem}-{how}") for _ in range(repeats)]
            samples = tuple(turn["layout_s"] for turn in turns)
            aside = f"{_busy(turns, 'layout')}, {turns[0]['boxes']} boxes, {turns[0]['frames']} frames"
            yield Line(f"  layout, {how}", min(samples), "s", target, aside, samples)
    judged = max(sizes) > JUDGED_FROM
    span = f"{sizes[0]} … {sizes[-1]} layers, the processor's time"
    slope = exponent(sizes, list(to_dot.values()))
    yield Line(f"growth to_dot {style}, exponent", slope, "", EXPONENT if judged else None, span)
    yield Line(f"growth layout {style}, exponent", exponent(sizes, list(layout.values())), "", None, span)


def _busy(turns: list[dict[str, Any]], what: str) -> str:
    """The middle of the repetitions, and the least time of the processor, nearer to what an idle machine would take."""
    seconds, busy = [turn[f"{what}_s"] for turn in turns], [turn[f"{what}_cpu_s"] for turn in turns]
    return f"median {median(seconds):.2f}, processor {min(busy):.2f}"


def _sizes(turn: dict[str, Any], layers: int) -> Iterator[Line]:
    judged = layers >= JUDGED_FROM
    aside = f"{turn['svg_bytes'] / 1e6:.2f} MB in {turn['svg_s']:.2f} s"
    yield Line("  SVG a layer", turn["svg_bytes"] / layers, "B", SVG_BYTES if judged else None, aside)
    most = (PAGE_BYTES + PAGE_LAYER_BYTES * layers) / 1e3
    yield Line("  page", turn["html_bytes"] / 1e3, "kB", most, f"in {turn['html_s']:.2f} s")


def _page(path: Path, layers: int, repeats: int) -> Iterator[Line]:
    missing = why_not()
    if missing:
        yield Line("  page in Chromium", None, "", aside=missing)
        return
    turns = [child("page", str(path)) for _ in range(repeats)]
    samples = tuple(turn["first_paint_ms"] for turn in turns)
    aside = f"Chromium {turns[0]['version']}, {turns[0]['boxes']} boxes"
    yield Line("  first paint", min(samples), "ms", PAINT_MS.get(layers), aside, samples)
    best = {what: max(turn["frames"][what]["perSecond"] for turn in turns) for what in turns[0]["frames"]}
    aside = ", ".join(f"{what} {value:.0f}" for what, value in best.items())
    yield Line("  frames, slowest movement", min(best.values()), "/s", FRAMES.get(layers), aside, is_least=True)


def huge(folder: Path, style: str, layers: int) -> Iterator[Line]:
    """An engine beyond what is drawn whole: from the plan to the scene, and its page."""
    files = write_engine(folder, style, layers)
    stem = folder / f"{style}-{layers}"
    start = perf_counter()
    turn = child("draw", *files, "default", str(stem))
    whole_s = perf_counter() - start
    aside = f"{_busy([turn], 'layout')}, {turn['boxes']} boxes; with loading and files {whole_s:.0f} s"
    yield Line(f"plan → scene {style} {counted(layers)}", turn["layout_s"], "s", None, aside)
    for fact in turn["facts"][1:]:
        yield Line("  says", None, "", aside=fact)
    yield from _sizes(turn, layers)
    yield from _page(Path(f"{stem}.html"), layers, 1)
