"""How good: crossings, length of the wires and boxes run over, our layout and ``dot``'s of the same engines.

Run ``python -m tests.benchmarks --only picture`` (under a minute).

How it measures
    Both lay out the same boxes, with the same sizes and distances, and the same wires, without words
    (``graphviz_dot`` says what ``dot`` is given); ``geometry`` counts in both pictures with the same functions.
    Length is the sum over all wires from box to box, in pixels, ours over ``dot``'s. In our pictures wires of one
    value run on one line for a part of their way; each counts with its whole length. A crossing is a place where lines
    of two values cross; the aside gives the number with each wire counted for itself, and ``dot``'s of both.
    Our rows are further apart than ``dot``'s where wires go far sideways, which makes our wires longer, not shorter.
    Engines: the bundled examples; generated ones of 20 to 200 layers, those of random wiring without a target; and real
    ones where ``../shared`` is next to the repository.

Targets
    Crossings and length no worse than 1.3 times ``dot``'s; no box run over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.engines import write_engine
from tests.benchmarks.geometry import boxes_run_over, crossings
from tests.benchmarks.graphviz_dot import bare_dot, drawn_by_dot, drawn_by_trex, run_dot
from tests.benchmarks.table import REPOSITORY, Line, Part
from trex.engine_plan import EnginePlan, load, load_example
from trex.examples import names as example_names
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.scene import Scene, build_scene
from trex.views.diagram.style import DiagramStyle

SIZES = (20, 50, 100, 200)
# Nothing is promised for networks of random wiring; they show what the ordering of rows is worth.
DRAWN, UNPROMISED = ("cnn", "myelin", "unet", "irregular"), ("irregular",)
RATIO = 1.3


def parts(folder: Path, styles: tuple[str, ...], limit_s: float, sizes: tuple[int, ...], quick: bool) -> list[Part]:
    """What is measured, in order; if ``quick``, one example and the smallest size."""
    parts: list[Part] = []
    for name in example_names()[: 1 if quick else None]:
        parts.append((name, partial(_example, name, limit_s)))
    for style in DRAWN:
        if style in styles:
            for layers in sizes[: 1 if quick else None]:
                parts.append((f"{style} {layers}", partial(_generated, folder, style, layers, limit_s)))
    shared = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared")) / "engines"
    if shared.is_dir() and not quick:
        for path in sorted(path for path in shared.iterdir() if path.is_dir()):
            parts.append((path.name, partial(_real, path, limit_s)))
    return parts


def _example(name: str, limit_s: float) -> Iterator[Line]:
    return compared(name, load_example(name), limit_s)


def _generated(folder: Path, style: str, layers: int, limit_s: float) -> Iterator[Line]:
    plan = EnginePlan(*write_engine(folder, style, layers))
    return compared(f"{style} {layers} layers", plan, limit_s, None if style in UNPROMISED else RATIO)


def _real(path: Path, limit_s: float) -> Iterator[Line]:
    return compared(path.name, load(path), limit_s)


def compared(name: str, plan: EnginePlan, limit_s: float, ratio: float | None = RATIO) -> Iterator[Line]:
    """Length, crossings and boxes run over, of our picture and of dot's. ratio: the most that is promised."""
    scene = bare_scene(plan)
    own = drawn_by_trex(scene)
    crossed, run_over = crossings(own), boxes_run_over(own)
    size = f"{len(scene.boxes)} boxes, {len(scene.wires)} wires"
    answer = run_dot(bare_dot(scene), limit_s)
    if answer.seconds is None:
        yield Line(name, own.length, "px", None, f"{size}; {answer.why}")
        yield Line("  crossings", crossed.seen, "", None, f"by wire {crossed.of_wires}")
        yield Line("  boxes run over", run_over, "", 0)
        yield from _framed(plan)
        return
    other = drawn_by_dot(scene, answer.text)
    their = crossings(other)
    aside = f"{own.length:.0f} px, dot {other.length:.0f} px in {answer.seconds:.2f} s; {size}"
    yield Line(name, own.length / other.length if other.length else None, "×", ratio, aside)
    aside = f"dot {their.seen}; by wire {crossed.of_wires}, dot {their.of_wires}"
    most = None if ratio is None else round(ratio * their.seen, 1)
    yield Line("  crossings", crossed.seen, "", most, aside)
    yield Line("  boxes run over", run_over, "", 0, f"dot {boxes_run_over(other)}")
    yield from _framed(plan)


def _framed(plan: EnginePlan) -> Iterator[Line]:
    """The same in frames around the modules; nothing if no layer has a module."""
    scene = bare_scene(plan, "module")
    if scene.frames:
        drawn = drawn_by_trex(scene)
        aside = f"{len(scene.frames)} frames, {crossings(drawn).seen} crossings, {drawn.length:.0f} px"
        yield Line("  boxes run over, framed", boxes_run_over(drawn), "", 0, aside)


def bare_scene(plan: EnginePlan, group_by: str = "none") -> Scene:
    """The scene without words next to the wires, for which ``dot`` would need rows of their own."""
    style = DiagramStyle(display_edge_details=False, fold_from=0, group_by=group_by)
    return build_scene(drawn_graph(plan, style), plan, style)
