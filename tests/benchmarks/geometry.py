"""Polylines and boxes → what an eye would count: crossings, length, boxes run over. The same for any layout's picture.

Wires are given as arrays of points of shape (count, 2), curves already sampled. A crossing is a point where two wires
properly intersect. Wires of one value (same source, same tensor) are one line to the eye and do not cross one another.
Wires that lie exactly on one another would escape a proper test, so each is first moved by a hair of its own
(under 0.01 px). Where two wires touch within a pixel of an end of both, they meet at a box and do not cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_HAIR = 0.01
_MEETING = 1.0
_EDGE = 0.5


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture as bare lines. boxes: rows of left, top, right, bottom. wires: one array of points each.

    ends: (source, target), positions in ``boxes``. nets: for each wire, which value it carries.
    """

    boxes: np.ndarray
    wires: tuple[np.ndarray, ...]
    ends: tuple[tuple[int, int], ...]
    nets: tuple[Any, ...]

    @property
    def length(self) -> float:
        """Sum of the wires' lengths, shared stretches counted for each."""
        return float(sum(np.hypot(*np.diff(wire, axis=0).T).sum() for wire in self.wires))

    @property
    def area(self) -> float:
        """Of the rectangle around everything."""
        points = np.concatenate([self.boxes[:, :2], self.boxes[:, 2:], *self.wires])
        return float(np.prod(points.max(axis=0) - points.min(axis=0)))


def sampled(start: Sequence[float], segments: Sequence[Sequence[float]], steps: int = 12) -> np.ndarray:
    """Lines (x, y) and cubic curves (x1, y1, x2, y2, x, y), from a start on, as points."""
    points = [np.asarray(start, float)]
    t = np.linspace(0, 1, steps + 1)[1:, None]
    for segment in segments:
        here = points[-1]
        if len(segment) == 2:
            points.append(np.asarray(segment, float))
            continue
        one, two, end = (np.asarray(segment[i : i + 2], float) for i in (0, 2, 4))
        curve = (1 - t) ** 3 * here + 3 * (1 - t) ** 2 * t * one + 3 * (1 - t) * t * t * two + t**3 * end
        points.extend(curve)
    return np.array(points)


@dataclass(frozen=True, slots=True)
class Crossings:
    """seen: places where lines cross; where several wires of a value run on one line, what crosses it crosses once.

    of_wires: the same with each wire counted for itself.
    """

    seen: int
    of_wires: int


def crossings(drawn: Drawn) -> Crossings:
    """Where wires of different values cross."""
    hairs = [_HAIR * np.array([(number * 0.618034) % 1, (number * 0.754878) % 1]) for number in range(len(drawn.wires))]
    wires = [wire + hair for wire, hair in zip(drawn.wires, hairs)]
    if len(wires) < 2:
        return Crossings(0, 0)
    start = np.concatenate([wire[:-1] for wire in wires])
    end = np.concatenate([wire[1:] for wire in wires])
    owner = np.repeat(np.arange(len(wires)), [len(wire) - 1 for wire in wires])
    numbers = {net: number for number, net in enumerate(dict.fromkeys(drawn.nets))}
    net = np.array([numbers[net] for net in drawn.nets])
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.argsort(low[:, 1], kind="stable")
    start, end, owner, low, high = start[order], end[order], owner[order], low[order], high[order]
    until = np.searchsorted(low[:, 1], high[:, 1], side="right")
    points: dict[tuple[int, int], list[np.ndarray]] = {}
    count = 0
    for i in range(len(start)):
        others = slice(i + 1, until[i])
        near = (low[others, 0] <= high[i, 0]) & (high[others, 0] >= low[i, 0]) & (net[owner[others]] != net[owner[i]])
        hits = np.flatnonzero(near) + i + 1
        if not len(hits):
            continue
        along, across = end[i] - start[i], end[hits] - start[hits]
        between = start[hits] - start[i]
        denominator = along[0] * across[:, 1] - along[1] * across[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (between[:, 0] * across[:, 1] - between[:, 1] * across[:, 0]) / denominator
            t = (between[:, 0] * along[1] - between[:, 1] * along[0]) / denominator
        for j in np.flatnonzero((s >= 0) & (s < 1) & (t >= 0) & (t < 1)):
            point, other = start[i] + s[j] * along, owner[hits[j]]
            if _is_end(wires[owner[i]], point) and _is_end(wires[other], point):
                continue
            count += 1
            first, second = sorted((int(net[owner[i]]), int(net[other])))
            known = points.setdefault((first, second), [])
            if all(np.abs(crossing - point).max() > _MEETING for crossing in known):
                known.append(point)
    return Crossings(sum(map(len, points.values())), count)


def _is_end(wire: np.ndarray, point: np.ndarray) -> bool:
    return bool(min(np.abs(wire[0] - point).max(), np.abs(wire[-1] - point).max()) < _MEETING)


def boxes_run_over(drawn: Drawn) -> int:
    """Pairs of a wire and a box that it passes through, its own two included; a brushed edge does not count."""
    if not len(drawn.boxes) or not drawn.wires:
        return 0
    left, top, right, bottom = (drawn.boxes + np.array([_EDGE, _EDGE, -_EDGE, -_EDGE])).T
    count = 0
    for wire in drawn.wires:
        low, high = wire.min(axis=0), wire.max(axis=0)
        near = np.flatnonzero((left < high[0]) & (right > low[0]) & (top < high[1]) & (bottom > low[1]))
        for box in near:
            count += _enters(wire, left[box], top[box], right[box], bottom[box])
    return count


def _enters(wire: np.ndarray, left: float, top: float, right: float, bottom: float) -> bool:
    """Whether a polyline enters a rectangle: each piece is clipped at its four sides."""
    start, step = wire[:-1], np.diff(wire, axis=0)
    first, last = np.zeros(len(start)), np.ones(len(start))
    for axis, least, most in ((0, left, right), (1, top, bottom)):
        with np.errstate(divide="ignore", invalid="ignore"):
            one, two = (least - start[:, axis]) / step[:, axis], (most - start[:, axis]) / step[:, axis]
        still = step[:, axis] == 0
        inside = (start[:, axis] > least) & (start[:, axis] < most)
        one, two = np.where(still, np.where(inside, -np.inf, np.inf), one), np.where(still, np.inf, two)
        first, last = np.maximum(first, np.minimum(one, two)), np.minimum(last, np.maximum(one, two))
    return bool((first < last).any())
