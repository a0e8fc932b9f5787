"""Validation: a real engine against its prediction (layers, fusions, reformats, times) by constants
fitted without it.

Fusions are compared as sets of ONNX operations, reformats by the layer that they serve. Times are compared for layers
with the same operations; if fusions differ, the layers of both sides that share operations are compared together, so no
time is left out. The error bar of a measured time is also computed without the engine.
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
from trex.perf.samples.series import spearman
from trex.plan.engine_plan import EnginePlan
from trex.simulator.builder import build
from trex.simulator.draft import NetworkDraft
from trex.simulator.engine_json import engine_document
from trex.simulator.groups import groups_of_layers, share_equal
from trex.simulator.kernel_times import kernel_times
from trex.simulator.real_engines import REFERENCE_ENGINES, ReferenceEngine, compute_ms, distrust, times_ms
from trex.simulator.timing.constants import FILE as CONSTANTS_FILE
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.cross_validation import document_of, fit_all
from trex.simulator.timing.fit import MeasuredEngine, ObservedSum
from trex.simulator.timing.prediction import inference_of

SCHEMA = "trex.validate/1"
FIGURES_FILE = Path(__file__).resolve().parent / "validated.json"


@dataclass(frozen=True)
class RealEngine:
    """layers: all of them. times_ms: of each, None if unknown. compute_ms: GPU compute of an inference."""

    layers: Sequence[Layer]
    times_ms: Sequence[float | None]
    compute_ms: float | None = None


def real_engine(plan: EnginePlan) -> RealEngine:
    """Without times where they can't be trusted."""
    if distrust(plan):
        return RealEngine(plan.engine.layers, [None] * len(plan.engine.layers))
    return RealEngine(plan.engine.layers, times_ms(plan.all_times), compute_ms(plan))


@dataclass(frozen=True)
class Validation:
    """One engine. Pairs are (predicted, real). Figures of times are None if the engine has none.

    layers: number of layers that launch kernels. type_distance: of the histograms of layer types, 0 if they are equal,
    1 if they have nothing in common. groups_equal: share of fused groups that are equal sets of ONNX operations.
    copies: Reformat layers; copies_equal: share of them that serve the same layer on the same side. spearman: rank
    correlation of layer times. total_ratio, compute_ratio: predicted over measured, of the sum of the layers (None if
    one has no time) and of GPU compute. is_expected: whether the measured GPU compute lies in the error bar from
    engines without this one.
    """

    engine: str
    layers: tuple[int, int]
    type_distance: float
    groups_equal: float
    copies: tuple[int, int]
    copies_equal: float
    spearman: float | None = None
    total_ratio: float | None = None
    compute_ratio: float | None = None
    is_expected: bool | None = None


@dataclass(frozen=True)
class Goal:
    """A goal for predictions: in words, which field, its bounds, which engines."""

    words: str
    field: str
    low: float
    high: float
    walk_through: bool | None = None
    """True: only the walk-through's engines; False: only the others."""


GOALS = (
    Goal("≥ 95 % of fused groups equal, walk-through", "groups_equal", 0.95, 1.0, True),
    Goal("≥ 90 % of fused groups equal, other engines", "groups_equal", 0.90, 1.0, False),
    Goal("equal number of reformats (1, 2, 12, 3, 1), walk-through", "copies", 0, 0, True),
    Goal("rank correlation of layer times ≥ 0.9", "spearman", 0.9, 1.0),
    Goal("sum of layers within 1.35×, walk-through", "total_ratio", 1 / 1.35, 1.35, True),
)


def validation_of(
    reference: ReferenceEngine,
    model: Model,
    real: RealEngine,
    measured: Sequence[MeasuredEngine],
    sums: Sequence[ObservedSum] = (),
) -> Validation:
    """model: of the reference engine. measured, sums: of the fit; this engine is left out of them."""
    draft = build(model, reference.target)
    constants = constants_unseen(reference.engine, measured, sums)
    if not reference.knows_device:
        real = replace(real, times_ms=[None] * len(real.layers))
    return compared(reference.engine, draft, model, real, constants)


def compared(
    engine: str, draft: NetworkDraft, model: Model, real: RealEngine, constants: Constants | None = None
) -> Validation:
    """A real engine against the predicted one. model: of both. constants: by default those of the package."""
    times = kernel_times(draft, constants)
    layers = engine_from_documents([json.loads(json.dumps(engine_document(draft, "")))]).layers
    predicted, actual = groups_of_layers(layers, model), groups_of_layers(real.layers, model)
    plain = Validation(
        engine=engine,
        layers=(_kernel_count(layers), _kernel_count(real.layers)),
        type_distance=type_distance(layers, real.layers),
        groups_equal=share_equal({**actual.fused}, {**predicted.fused}),
        copies=(predicted.reformat_count, actual.reformat_count),
        copies_equal=share_equal({**actual.reformats}, {**predicted.reformats}),
    )
    if not any(real.times_ms):
        return plain
    pairs = matched_times(_timed(layers, times.layer_ms, model), _timed(real.layers, real.times_ms, model))
    both = [(one, other) for one, other in pairs if one and other]
    inference = inference_of(times.kernels)
    is_whole = all(
        ms is not None for layer, ms in zip(real.layers, real.times_ms, strict=True) if layer.role is Role.KERNEL
    )
    return replace(
        plain,
        spearman=spearman([one for one, _ in both], [other for _, other in both]),
        total_ratio=sum(times.layer_ms) / sum(ms for ms in real.times_ms if ms) if is_whole else None,
        compute_ratio=None if real.compute_ms is None else inference.compute_ms / real.compute_ms,
        is_expected=None if real.compute_ms is None else inference.low_ms <= real.compute_ms <= inference.high_ms,
    )


def constants_unseen(engine: str, measured: Sequence[MeasuredEngine], sums: Sequence[ObservedSum] = ()) -> Constants:
    """Constants and intervals of all these engines but one, and of the sums of other families than its network's."""
    rest = [other for other in measured if other.engine != engine]
    families = {other.family for other in measured if other.engine == engine}
    kept = [one for one in sums if one.group[0] not in families]
    return Constants(fit_all(rest, kept).values, document_of(rest, sums=kept) if rest else {})


def type_distance(first: Sequence[Layer], other: Sequence[Layer]) -> float:
    """Layers of types that only one side has, or has more of, over all layers of both; of those that launch kernels."""
    a, b = (Counter(layer.type for layer in side if layer.role is Role.KERNEL) for side in (first, other))
    both = a.total() + b.total()
    return ((a - b).total() + (b - a).total()) / both if both else 0.0


def matched_times(
    first: Iterable[tuple[frozenset[str], float]], other: Iterable[tuple[frozenset[str], float]]
) -> list[tuple[float, float]]:
    """(time of one side, of the other) of layers with the same keys, or connected by shared keys."""
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
    for side, timed in enumerate(sides):
        for keys, ms in timed:
            sums.setdefault(root(min(keys)), [0.0, 0.0])[side] += ms
    return [(one, two) for one, two in sums.values()]


def figures(
    validations: Sequence[Validation], date: str, published: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The document of ``trex validate --json``. date: of the day. published: of ``published.judge_published``."""
    listed = [{key: _plain(value) for key, value in asdict(validation).items()} for validation in validations]
    return {
        "schema": SCHEMA,
        "judged": date,
        "constants": constants_digest(),
        "engines": listed,
        "published": list(published),
    }


def constants_digest() -> str:
    """Identifies the package's fitted constants and intervals; figures with another digest are stale."""
    document = json.loads(CONSTANTS_FILE.read_text(encoding="utf-8"))
    hashed = {key: document[key] for key in ("constants", "judged", "intervals")}
    return hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()[:16]


def kept_figures() -> dict[str, Any]:
    """The figures of the package."""
    document: dict[str, Any] = json.loads(FIGURES_FILE.read_text(encoding="utf-8"))
    return document


def reached(goal: Goal, entry: Mapping[str, Any]) -> tuple[bool, float] | None:
    """(whether an engine of ``figures`` reaches a goal, its value); None if it has none."""
    value = entry[goal.field]
    if value is None:
        return None
    if isinstance(value, Sequence):
        value = value[0] - value[1]
    return goal.low <= round(value, 9) <= goal.high, value


def goal_lines(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each goal: how many engines reach it, and the values of the others."""
    walk_through = {reference.engine for reference in REFERENCE_ENGINES if reference.is_walk_through}
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
        verdict = f"{met} of {met + len(missed)}" + (f"; missed by {', '.join(missed)}" if missed else "")
        lines.append(f"{goal.words}: {verdict}")
    return lines


def _kernel_count(layers: Iterable[Layer]) -> int:
    return sum(layer.role is Role.KERNEL for layer in layers)


def _timed(
    layers: Sequence[Layer], times_ms: Sequence[float | None], model: Model
) -> list[tuple[frozenset[str], float]]:
    """(key of a layer, its time). Key: its operations, or a reformat's position; its name if it has neither."""
    result = []
    for layer, ms in zip(layers, times_ms, strict=True):
        if ms:
            groups = groups_of_layers([layer], model)
            keys = frozenset(groups.reformats) or frozenset(name for group in groups.fused for name in group)
            result.append((keys or frozenset({layer.name}), ms))
    return result


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
