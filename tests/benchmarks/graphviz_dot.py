"""Scene → the same boxes and wires laid out by Graphviz ``dot``; absent or too slow is an answer, too.

What ``dot`` is given: each box with its width and height as a fixed size, its distances (``nodesep`` our gap between
boxes, ``ranksep`` the least height in which our wires bend and end), a plain edge for each wire in the same order, no
words. A wire that we draw upwards is given to it reversed, so that both have the same direction everywhere. Everything
else is its default: network simplex, its crossing reduction to the end, splines.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from time import perf_counter

import numpy as np

from tests.benchmarks.geometry import Drawn, sampled
from trex.views.diagram.placement import CELL_GAP
from trex.views.diagram.scene import Scene

INCH = 72.0
# Least height between two rows of a layout of trex without words: a bend, and the straight end with the arrow.
ROW_GAP = 28.0


@dataclass(frozen=True, slots=True)
class DotAnswer:
    """seconds: None when there is no answer, and then ``why``."""

    seconds: float | None
    text: str = ""
    why: str = ""


@cache
def dot_version() -> str:
    """What ``dot -V`` says; "" when there is none."""
    program = shutil.which("dot")
    if program is None:
        return ""
    done = subprocess.run([program, "-V"], capture_output=True, text=True, check=False)
    return (done.stderr or done.stdout).strip().removeprefix("dot - ")


def run_dot(source: str, limit_s: float) -> DotAnswer:
    """``dot -Tplain`` of a DOT text, ended after ``limit_s`` seconds."""
    program = shutil.which("dot")
    if program is None:
        return DotAnswer(None, why="no dot here")
    start = perf_counter()
    try:
        done = subprocess.run(
            [program, "-Tplain"], input=source.encode(), capture_output=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        return DotAnswer(None, why=f"dot > {limit_s:g} s, ended")
    seconds = perf_counter() - start
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return DotAnswer(None, why=f"dot failed after {seconds:.1f} s: {lines[-1] if lines else done.returncode}")
    return DotAnswer(seconds, done.stdout.decode("utf-8", "replace"))


def bare_dot(scene: Scene) -> str:
    """The scene's boxes and wires as DOT, without words."""
    lines = [
        f"digraph g {{\n graph [nodesep={CELL_GAP / INCH:.4f}, ranksep={ROW_GAP / INCH:.4f}]\n",
        ' node [shape=box, fixedsize=true, label=""]\n edge [arrowhead=none]\n',
    ]
    for i, box in enumerate(scene.boxes):
        lines.append(f" n{i} [width={box.width / INCH:.4f}, height={box.height / INCH:.4f}]\n")
    for wire in scene.wires:
        upper, lower = sorted((wire.source, wire.target))
        lines.append(f" n{upper} -> n{lower}\n")
    return "".join((*lines, "}\n"))


def drawn_by_trex(scene: Scene) -> Drawn:
    """The scene's own picture."""
    boxes = np.array([(box.x, box.y, box.x + box.width, box.y + box.height) for box in scene.boxes]).reshape(-1, 4)
    wires = tuple(sampled(wire.path[0], wire.path[1:]) for wire in scene.wires)
    return Drawn(boxes, wires, _ends(scene), _nets(scene))


def drawn_by_dot(scene: Scene, plain: str) -> Drawn:
    """The picture in an answer to ``bare_dot(scene)``."""
    boxes = np.zeros((len(scene.boxes), 4))
    routes: dict[tuple[int, int], list[np.ndarray]] = {}
    for words in _records(plain):
        if words[0] == "node":
            x, y, width, height = (float(word) * INCH for word in words[2:6])
            boxes[int(words[1][1:])] = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        elif words[0] == "edge":
            count = int(words[3])
            points = np.array(words[4 : 4 + 2 * count], float).reshape(-1, 2) * INCH
            segments = [points[i : i + 3].ravel().tolist() for i in range(1, count - 2, 3)]
            routes.setdefault((int(words[1][1:]), int(words[2][1:])), []).append(sampled(points[0].tolist(), segments))
    ends = _ends(scene)
    wires = tuple(routes[min(pair), max(pair)].pop(0) for pair in ends)
    return Drawn(boxes, wires, ends, _nets(scene))


def _records(plain: str) -> Iterator[list[str]]:
    return (line.split() for line in plain.replace("\\\n", "").splitlines() if line)


def _ends(scene: Scene) -> tuple[tuple[int, int], ...]:
    return tuple((wire.source, wire.target) for wire in scene.wires)


def _nets(scene: Scene) -> tuple[tuple[object, ...], ...]:
    """A value's source and name; the first line of a wire's tooltip is the tensor."""
    return tuple((wire.source, wire.tooltip.partition("\n")[0]) for wire in scene.wires)
