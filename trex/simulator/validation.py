"""Validation: a real engine against its prediction — layers, fusions, copies, times — with constants that never saw it.

Fusions are compared as sets of ONNX operations, copies by the place that they serve. Times are compared where layers
hold the same operations; where fusions differ, the layers of both sides that share operations are one, so that no time
is left out. The intervals that a measured time is held against are made without the engine, too.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from trex.core.layer import Layer, Role
from trex.core.model import Model
from trex.ingest.graph_json import engine_from_documents
from trex.simulator.builder import build
from trex.simulator.engine_json import engine_document
from trex.simulator.groups import Groups, groups_of_layers, share_equal
from trex.simulator.kernel_times import kernel_times
from trex.simulator.reference_engines import REFERENCE_ENGINES, ReferenceEngine
from trex.simulator.timing.constants import FILE as CONSTANTS_FILE
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.cross_validation import constants_without, cross_validate, intervals_of, spearman
from trex.simulator.timing.fit import MeasuredEngine
from trex.simulator.timing.inference import inference_of

SCHEMA = "trex.validate/1"
FIGURES_FILE = Path(__file__).resolve().parent / "validated.json"


@dataclass(frozen=True)
class RealEngine:
    """layers: all of them. times_ms: of each, None where it is not told. compute_ms: GPU compute of an inference."""

    layers: Sequence[Layer]
    times_ms: Sequence[float | None]
    compute_ms: float | None = None


@dataclass(frozen=True)
class Validation:
    """One engine. Pairs are (predicted, real). Everything of times is None where the engine tells none.

    device: "" where nothing tells it. layers: those that launch kernels. type_distance: of the histograms of layers'
    types, 0 where they are the same, 1 where no type is in common. groups_equal: share of fused groups that are the
    same sets of ONNX operations. copies: Reformat layers; copies_equal: share of them that serve the same layer from
    the same side. spearman: rank correlation of matched times, ``matched`` of them; unmatched_share: of the measured
    time, what is in layers that nothing is predicted for. total_ratio, compute_ratio: predicted over measured, of the
    sum of the layers and of GPU compute. expected: (low, high) as factors on the prediction of GPU compute, of engines
    without this one; is_expected: whether the measured time lies between.
    only_predicted, only_real: fused groups and copies of one side, in words.
    """

    engine: str
    network: str
    batch: int
    types: str
    device: str
    release: str
    layers: tuple[int, int]
    type_distance: float
    groups_equal: float
    copies: tuple[int, int]
    copies_equal: float
    matched: int = 0
    unmatched_share: float | None = None
    spearman: float | None = None
    total_ratio: float | None = None
    compute_ratio: float | None = None
    expected: tuple[float, float] | None = None
    is_expected: bool | None = None
    only_predicted: tuple[str, ...] = ()
    only_real: tuple[str, ...] = ()


@dataclass(frozen=True)
class Goal:
    """A figure that predictions are to reach: in words, which field, between which bounds, of which engines."""

    words: str
    field: str
    low: float
    high: float
    walk_through: bool | None = None
    """True: of the walk-through's engines only; False: of the others only."""


GOALS = (
    Goal("fused groups of the walk-through's engines equal to 95 %", "groups_equal", 0.95, 1.0, True),
    Goal("fused groups of the other engines equal to 90 %", "groups_equal", 0.90, 1.0, False),
    Goal("copies of the walk-through in number (1, 2, 12, 3, 1)", "copies", 0, 0, True),
    Goal("rank correlation of layer times 0.9", "spearman", 0.9, 1.0),
    Goal("sum of the walk-through's layers within × 1.35", "total_ratio", 1 / 1.35, 1.35, True),
)


def validated(twin: ReferenceEngine, model: Model, real: RealEngine, measured: Sequence[MeasuredEngine]) -> Validation:
    """model: of the twin. measured: the engines that constants are fitted to; this one is left out of them."""
    draft = build(model, twin.target)
    times = kernel_times(draft, constants_unseen(twin.engine, measured))
    layers = engine_from_documents([json.loads(json.dumps(engine_document(draft, "")))]).layers
    mine, theirs = groups_of_layers(layers, model), groups_of_layers(real.layers, model)
    plain = Validation(
        engine=twin.engine,
        network=twin.network,
        batch=twin.batch,
        types=twin.types,
        device=twin.device if twin.knows_device else "",
        release=str(twin.release),
        layers=(_working(layers), _working(real.layers)),
        type_distance=type_distance(layers, real.layers),
        groups_equal=share_equal({**theirs.fused}, {**mine.fused}),
        copies=(mine.copy_count, theirs.copy_count),
        copies_equal=share_equal({**theirs.copies}, {**mine.copies}),
        only_predicted=_only(mine, theirs),
        only_real=_only(theirs, mine),
    )
    if not twin.knows_device or not any(real.times_ms):
        return plain
    pairs = matched_times(_timed(layers, times.layer_ms, model), _timed(real.layers, real.times_ms, model))
    both = [(one, other) for one, other in pairs if one and other]
    inference = inference_of(times.kernels)
    expected = inference.low_ms / inference.compute_ms, inference.high_ms / inference.compute_ms
    rank = spearman([one for one, _ in both], [other for _, other in both])
    return replace(
        plain,
        matched=len(both),
        unmatched_share=1 - sum(other for _, other in both) / sum(ms for ms in real.times_ms if ms),
        spearman=None if rank != rank else rank,
        total_ratio=sum(times.layer_ms) / sum(ms for ms in real.times_ms if ms),
        compute_ratio=None if real.compute_ms is None else inference.compute_ms / real.compute_ms,
        expected=expected,
        is_expected=None if real.compute_ms is None else inference.low_ms <= real.compute_ms <= inference.high_ms,
    )


def constants_unseen(engine: str, measured: Sequence[MeasuredEngine]) -> Constants:
    """Constants and intervals of all these engines but one."""
    rest = [each for each in measured if each.engine != engine]
    told = [
        {
            "device": each.device.name,
            "compute_capability": ".".join(map(str, each.device.compute_capability or (0, 0))),
        }
        for each in rest
    ]
    document = {"engines": told, "intervals": intervals_of(cross_validate(rest))} if rest else {}
    return Constants(constants_without(engine, measured).values, document)


def type_distance(first: Sequence[Layer], other: Sequence[Layer]) -> float:
    """Layers of types that only one side has, or has more of, over all layers of both; of those that launch kernels."""
    a, b = (Counter(each.type for each in side if each.role is Role.KERNEL) for side in (first, other))
    both = a.total() + b.total()
    return ((a - b).total() + (b - a).total()) / both if both else 0.0


def matched_times(
    first: Iterable[tuple[frozenset[str], float]], other: Iterable[tuple[frozenset[str], float]]
) -> list[tuple[float, float]]:
    """(time of one side, of the other) of everything that holds the same keys, or is tied together by shared keys."""
    sides = (list(first), list(other))
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for keys, _ in (*sides[0], *sides[1]):
        ordered = sorted(keys)
        for key in ordered:
            parent[root(key)] = root(ordered[0])
    sums: dict[str, list[float]] = {}
    for side, told in enumerate(sides):
        for keys, ms in told:
            sums.setdefault(root(min(keys)), [0.0, 0.0])[side] += ms
    return [(one, two) for one, two in sums.values()]


def figures(validations: Sequence[Validation], date: str, *, differences: bool = True) -> dict[str, Any]:
    """What ``trex validate`` tells in JSON. date: of the day. differences: whether single groups are named."""
    listed = []
    for each in validations:
        told = {key: _plain(value) for key, value in asdict(each).items()}
        if not differences:
            told = {key: value for key, value in told.items() if not key.startswith("only_")}
        listed.append(told)
    return {"schema": SCHEMA, "judged": date, "constants": constants_digest(), "engines": listed}


def constants_digest() -> str:
    """Which fitted constants and intervals the package holds; figures of others are stale."""
    document = json.loads(CONSTANTS_FILE.read_text(encoding="utf-8"))
    told = {key: document[key] for key in ("constants", "intervals")}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def kept_figures() -> dict[str, Any]:
    """The figures that come with the package."""
    document: dict[str, Any] = json.loads(FIGURES_FILE.read_text(encoding="utf-8"))
    return document


def reached(goal: Goal, entry: Mapping[str, Any]) -> tuple[bool, float] | None:
    """(whether an engine of ``figures`` reaches a goal, its value); None where it tells none."""
    value = entry[goal.field]
    if value is None:
        return None
    if isinstance(value, Sequence):
        value = value[0] - value[1]
    return goal.low <= round(value, 9) <= goal.high, value


def goal_lines(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each goal: by how many engines it is reached, and by how much the others miss it."""
    walk_through = {each.engine for each in REFERENCE_ENGINES if each.is_walk_through}
    lines = []
    for goal in GOALS:
        met, missed = 0, []
        for entry in document["engines"]:
            if goal.walk_through is not None and goal.walk_through != (entry["engine"] in walk_through):
                continue
            result = reached(goal, entry)
            if result is not None and result[0]:
                met += 1
            elif result is not None:
                missed.append(f"{entry['engine']} ({result[1]:.3g})")
        asked = met + len(missed)
        told = f"missed by {', '.join(missed)}" if missed else "met"
        lines.append(f"{goal.words}: {told}; reached by {met} of {asked}")
    return lines


def _working(layers: Iterable[Layer]) -> int:
    return sum(each.role is Role.KERNEL for each in layers)


def _timed(
    layers: Sequence[Layer], times_ms: Sequence[float | None], model: Model
) -> list[tuple[frozenset[str], float]]:
    """(what a layer is compared by, its time): its operations, or a copy's place; its name where it has neither."""
    found = []
    for layer, ms in zip(layers, times_ms, strict=True):
        if ms:
            told = groups_of_layers([layer], model)
            keys = frozenset(told.copies) or frozenset(name for group in told.fused for name in group)
            found.append((keys or frozenset({layer.name}), ms))
    return found


def _only(groups: Groups, other: Groups) -> tuple[str, ...]:
    fused = Counter(groups.fused) - Counter(other.fused)
    copies = Counter(groups.copies) - Counter(other.copies)
    told = [" + ".join(sorted(group)) for group in fused.elements()]
    places = (f"{words}a layer without nodes" if words.endswith(" ") else words for words in sorted(copies.elements()))
    return (*sorted(told), *(f"copy {words}" for words in places))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
